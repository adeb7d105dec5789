"""Sessions: who typed what, in which history of a person with an agent."""
