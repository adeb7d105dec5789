"""Training. Needs the extra `train`; nothing here is imported by what runs every day."""
