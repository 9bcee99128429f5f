"""Who annotates which documents, and why a document has its place in the queue."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; in existing projects everybody goes on annotating every document. Annotators take part where a manager wants
    documents to be assigned."""
    op.add_column("projects", sa.Column("per_document", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("documents", sa.Column("reason", sa.String(300), nullable=False, server_default=""))
    op.add_column("members", sa.Column("takes_part", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.execute(sa.text("UPDATE members SET takes_part = :no WHERE role != 'annotator'").bindparams(no=False))
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_assignments_document_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_assignments_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignments")),
        sa.UniqueConstraint("document_id", "user_id", name=op.f("uq_assignments_document_id_user_id")),
    )
    op.create_index(op.f("ix_assignments_user_id"), "assignments", ["user_id"], unique=False)
