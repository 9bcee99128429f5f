"""Uploads: received within limits, read by `linnet.corpora`, added to a project, and reported."""
