"""Mappings of columns. Whoever changes their tables later copies what they are today to here."""

from alembic import op

from linnet.annotate.store.tables import MAPPING_TABLES

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the tables."""
    for table in MAPPING_TABLES:
        table.create(op.get_bind())


def downgrade() -> None:
    """Drop them again, before a backup of then is restored."""
    for table in reversed(MAPPING_TABLES):
        op.drop_table(table.name)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION mapping_log_is_append_only")
