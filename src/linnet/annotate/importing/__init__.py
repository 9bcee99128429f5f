"""Uploads: received with limits, read by `linnet.corpora`, added to a project, reported on."""
