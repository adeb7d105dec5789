"""Readers: one file per log format, all behind `base.Reader`."""
