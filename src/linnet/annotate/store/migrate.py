"""Migrates a database to this version of linnet."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from linnet.errors import MismatchError

__all__ = ["migrate"]


def migrate(engine: Engine) -> None:
    """Run the migrations that the database lacks, each in a transaction.

    Raises MismatchError for a database of a newer linnet.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    with engine.execution_options(writes=True).connect() as connection:
        with connection.begin():
            revision = MigrationContext.configure(connection).get_current_revision()
        known = {script.revision for script in scripts.walk_revisions()}
        if revision is not None and revision not in known:
            raise MismatchError(
                f"The database has version {revision}; this linnet knows versions up to {scripts.get_current_head()}. Update linnet."
            )
        if revision != scripts.get_current_head():
            config.attributes["connection"] = connection
            with connection.begin():
                command.upgrade(config, "head")
