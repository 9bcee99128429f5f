"""Alembic's environment; `versions/` holds one file per change of the tables."""
