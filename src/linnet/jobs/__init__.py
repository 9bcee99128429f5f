"""Linking a whole input into a file: the request, the job, its manifest and its output formats."""
