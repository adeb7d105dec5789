"""Learning: sessions to feedback, feedback to rules, rules to drafts that an agent can be given."""
