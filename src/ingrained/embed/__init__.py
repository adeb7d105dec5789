"""Similarity of short texts: one Protocol, one default that needs no model."""
