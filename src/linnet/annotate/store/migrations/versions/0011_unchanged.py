"""Which mentions were accepted unchanged, with their whole document."""

import sqlalchemy as sa
from alembic import op

from linnet.annotate.store.unchanged import mark_unchanged

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add a column; in documents accepted before, what nobody has touched since counts as accepted unchanged."""
    op.add_column(
        "annotations", sa.Column("unchanged", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    mark_unchanged(op.get_bind())


def downgrade() -> None:
    """Drop the column again, before a backup of then is restored."""
    with op.batch_alter_table("annotations", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("unchanged")
