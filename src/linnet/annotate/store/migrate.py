"""Creates the tables of a database, or migrates them to this version of linnet."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from linnet.annotate.store.tables import Base
from linnet.errors import MismatchError

__all__ = ["create_tables", "migrate", "refuse_unknown", "revision_of", "upgrade"]

_UPGRADES_OLDER = "30589e7c"  # the last commit with the migrations before the oldest known version


def migrate(engine: Engine) -> None:
    """Create the tables, or run the migrations that the database lacks, in one transaction.

    Raises MismatchError for a database of a newer linnet, or of one before 0.1.0.
    """
    with engine.execution_options(writes=True).connect() as connection, connection.begin():
        revision = revision_of(connection)
        if revision is None:
            create_tables(connection)
        else:
            refuse_unknown(revision, "The database")
            upgrade(connection)


def revision_of(connection: Connection) -> str | None:
    """The version of a database's tables; None without tables."""
    return MigrationContext.configure(connection).get_current_revision()


def refuse_unknown(revision: str, what: str) -> None:
    """Raise MismatchError for a version of a newer linnet, or of one before 0.1.0. what: has the version, e.g. "The database"."""
    scripts = ScriptDirectory.from_config(_config())
    *_, oldest = known = [script.revision for script in scripts.walk_revisions()]
    if revision in known:
        return
    if revision < oldest:
        raise MismatchError(
            f"{what} has version {revision}, of a linnet before 0.1.0; this linnet knows versions {oldest} to {known[0]}. Upgrade it with "
            f"linnet of commit {_UPGRADES_OLDER}, as docs/annotating-server.md describes."
        )
    raise MismatchError(
        f"{what} has version {revision}; this linnet knows versions up to {known[0]}. Update linnet."
    )


def create_tables(connection: Connection, revision: str = "head") -> None:
    """Create the tables of a version in an empty database, in the connection's transaction."""
    Base.metadata.create_all(
        connection, checkfirst=False
    )  # refuses a database with tables of another program
    command.stamp(_config(connection), "head")
    if revision != "head":
        command.downgrade(_config(connection), revision)


def upgrade(connection: Connection) -> None:
    """Run the missing migrations in the connection's transaction."""
    command.upgrade(_config(connection), "head")


def _config(connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    return config
