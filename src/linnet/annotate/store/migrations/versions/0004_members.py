"""Members of projects."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create a table, and make every account a member of every project: until now each could see them all."""
    op.create_table(
        "members",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_members_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_members_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_members")),
        sa.UniqueConstraint("project_id", "user_id", name=op.f("uq_members_project_id_user_id")),
    )
    op.create_index(op.f("ix_members_user_id"), "members", ["user_id"], unique=False)
    op.execute(
        "INSERT INTO members (project_id, user_id, role, created, created_by) "
        "SELECT projects.id, users.id, CASE users.role WHEN 'admin' THEN 'manager' ELSE 'annotator' END, "
        "CURRENT_TIMESTAMP, '' FROM projects CROSS JOIN users ORDER BY projects.id, users.id"
    )
