"""Which mentions were accepted unchanged, with their whole document."""

import sqlalchemy as sa
from alembic import op

from linnet.annotate.store.unchanged import mark_unchanged

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column; in documents accepted before, what nobody has touched since counts as accepted unchanged."""
    op.add_column(
        "annotations", sa.Column("unchanged", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    mark_unchanged(op.get_bind())
