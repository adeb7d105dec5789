"""`ingrained evolve` and `ingrained bench transfer`: the loop of Skill-α over tasks of a benchmark, in a directory."""
