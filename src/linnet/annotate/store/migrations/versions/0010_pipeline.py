"""How a project's mentions are linked."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column; existing projects link by the terminology's own pipeline, as before."""
    op.add_column("projects", sa.Column("pipeline", sa.String(200), nullable=False, server_default=""))
