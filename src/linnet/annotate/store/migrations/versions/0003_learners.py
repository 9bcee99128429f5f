"""The learners of a project."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column; existing projects train what is quick, as before."""
    op.add_column("projects", sa.Column("learners", sa.JSON(), nullable=False, server_default="[]"))
