"""Planted truth: what `evolve` and other methods make of a skill whose true value is known."""
