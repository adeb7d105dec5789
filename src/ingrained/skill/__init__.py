"""Skills: rules, their levels, the documents that agents read, and the edits between them. All pure."""
