"""The database: SQLite by default, PostgreSQL by URL."""

from linnet.annotate.store.database import Database, open_database

__all__ = ["Database", "open_database"]
