"""linnet in other tools: spaCy, data frames, assistants (MCP). Each is imported only when used."""
