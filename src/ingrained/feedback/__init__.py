"""Feedback: which turns ask for a change, the atomic rules in them, and which of those transfer."""
