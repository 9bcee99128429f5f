"""Exports in corpus formats; backup and restore of projects."""
