"""Exports in corpus formats, and as a table of annotations."""
