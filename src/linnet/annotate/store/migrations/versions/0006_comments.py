"""What people say about documents and mentions."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "comments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("thread_id", sa.Integer(), nullable=True),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("discuss", sa.String(length=16), nullable=False),
        sa.Column("for_all", sa.Boolean(), nullable=False),
        sa.Column("author", sa.String(length=64), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_comments_document_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["thread_id"], ["comments.id"], name=op.f("fk_comments_thread_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comments")),
    )
    op.create_index(op.f("ix_comments_document_id"), "comments", ["document_id"], unique=False)
    op.create_index(op.f("ix_comments_thread_id"), "comments", ["thread_id"], unique=False)
