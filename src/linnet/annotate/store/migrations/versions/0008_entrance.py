"""Invitations, API tokens, reserved names, and which token made a change."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from linnet.annotate.accounts.names import account_key

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create four tables and a column; reserve the names of work without an account."""
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_invitations_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitations_digest")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_invitations_project_id"), "invitations", ["project_id"], unique=False)
    op.create_table(
        "invitation_uses",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("invitation_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["invitation_id"],
            ["invitations.id"],
            name=op.f("fk_invitation_uses_invitation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation_uses")),
    )
    op.create_index(
        op.f("ix_invitation_uses_invitation_id"), "invitation_uses", ["invitation_id"], unique=False
    )
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("reads_only", sa.Boolean(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_api_tokens_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_tokens_digest")),
        sa.UniqueConstraint("user_id", "name", name=op.f("uq_api_tokens_user_id_name")),
        sqlite_autoincrement=True,
    )
    reserved = op.create_table(
        "reserved_names",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_reserved_names")),
    )
    op.add_column("log", sa.Column("token", sa.String(64), nullable=False, server_default=""))
    # Restored projects brought work of people who have no account here.
    connection = op.get_bind()
    owners = connection.execute(
        sa.text(
            "SELECT owner FROM sheets WHERE owner NOT IN ('', '@curated') UNION "
            "SELECT author FROM annotations WHERE author <> '' UNION SELECT author FROM comments ORDER BY 1"
        )
    ).scalars()
    accounts = set(connection.execute(sa.text("SELECT key FROM users")).scalars())
    names = {account_key(owner): owner for owner in owners}
    rows = [
        {"key": key, "name": name, "reason": "restored", "created": datetime.now(UTC), "created_by": ""}
        for key, name in names.items()
        if key not in accounts
    ]
    if rows:
        op.bulk_insert(reserved, rows)
