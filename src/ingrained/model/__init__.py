"""Language models: one way to ask, whatever answers; what is spent is estimated, capped, and told."""
