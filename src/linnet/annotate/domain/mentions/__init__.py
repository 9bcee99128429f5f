"""Mentions in all documents of a project: searching them, and changing many at once."""
