"""What Ingrained keeps: the ledger of words and decisions, the library of skills, and how its files are written."""
