"""What finds a project's mentions, how probable its predictions have to be, and the probabilities of what it predicted."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns; existing projects find mentions as before and show every prediction."""
    recogniser = sa.Column("recogniser", sa.String(200), nullable=False, server_default="")
    op.add_column("projects", recogniser)
    op.add_column("projects", sa.Column("min_probability", sa.Double(), nullable=False, server_default="0"))
    op.add_column("documents", sa.Column("predicted", sa.JSON(), nullable=False, server_default="[]"))
