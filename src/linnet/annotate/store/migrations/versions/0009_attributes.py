"""Attributes of mentions: the project's definitions, and each annotation's values."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns; existing projects define none, and existing annotations have none."""
    op.add_column("projects", sa.Column("attributes", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("annotations", sa.Column("attributes", sa.JSON(), nullable=False, server_default="{}"))
