"""Whether an edit of a skill may stay: pairs of replays in, a verdict out. Pure; nothing here runs a task."""
