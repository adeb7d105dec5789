"""The command line: a command reads options, makes one call, renders. Nothing imports this folder."""
