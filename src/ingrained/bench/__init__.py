"""Benchmarks: one file each. They read data by path and never change it."""
