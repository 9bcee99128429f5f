"""Settling disagreements of independent annotators: a curator decides, and the result is a sheet of its own.

places      where annotators' versions of a document differ
versions    the sheets that are compared, read from the database
settling    the disagreements of a project, and which documents have none left
decisions   what a curator does: take a version, merge, say that there is no mention
"""
