"""Migrations, one file each, in order."""
