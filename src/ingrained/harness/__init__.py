"""Workers: who does a task under a skill, and the record of it."""
