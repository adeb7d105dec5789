"""Similarity of short texts: one Protocol, one default that needs no model; the encoder of the trained judge."""
