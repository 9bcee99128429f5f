"""Migrates a database to this version of linnet."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from linnet.errors import MismatchError

__all__ = ["known_revisions", "migrate", "refuse_unknown", "revision_of", "upgrade"]


def migrate(engine: Engine) -> None:
    """Run the migrations that the database lacks, each in a transaction.

    Raises MismatchError for a database of a newer linnet.
    """
    with engine.execution_options(writes=True).connect() as connection:
        with connection.begin():
            revision = revision_of(connection)
        if revision is not None:
            refuse_unknown(revision, "The database")
        if revision != known_revisions()[-1]:
            with connection.begin():
                upgrade(connection)


def revision_of(connection: Connection) -> str | None:
    """The version of a database's tables; None without tables."""
    return MigrationContext.configure(connection).get_current_revision()


def known_revisions() -> list[str]:
    """All versions that this linnet knows, oldest first."""
    scripts = ScriptDirectory.from_config(_config())
    return [script.revision for script in scripts.walk_revisions()][::-1]


def refuse_unknown(revision: str, what: str) -> None:
    """Raise MismatchError for a version of a newer linnet. what: has the version, e.g. "The database"."""
    known = known_revisions()
    if revision not in known:
        raise MismatchError(
            f"{what} has version {revision}; this linnet knows versions up to {known[-1]}. Update linnet."
        )


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run the migrations up to a version in the connection's transaction."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    return config
