"""Finds in the log which mentions were accepted unchanged, for databases and backups of linnet versions that did not note it."""

from __future__ import annotations

from sqlalchemy import Connection, text

__all__ = ["mark_unchanged"]

# Accepting changed nothing but predictions, so what has had no other change since was accepted unchanged.
_ACCEPTED = """
    UPDATE annotations SET unchanged = true WHERE layer = 'user' AND EXISTS (
        SELECT 1 FROM log WHERE log.sheet_id = annotations.sheet_id AND log.revision = annotations.revision
        AND (log.action = 'document.accept' OR log.action = 'redo' AND log.undoes IN (
            SELECT id FROM log WHERE action = 'document.accept')))"""
# What a curated sheet has without a curator, all its annotators agreed on.
_AGREED = """
    UPDATE annotations SET unchanged = true WHERE layer = 'user' AND author = '' AND EXISTS (
        SELECT 1 FROM sheets WHERE sheets.id = annotations.sheet_id AND sheets.owner = '@curated'
        AND EXISTS (SELECT 1 {same} AND other.unchanged)
        AND NOT EXISTS (SELECT 1 {same} AND NOT other.unchanged))""".format(
    same="""
            FROM annotations AS other JOIN sheets AS own ON own.id = other.sheet_id
            WHERE own.document_id = sheets.document_id AND own.owner NOT IN ('', '@curated') AND own.state = 'accepted'
            AND other.start = annotations.start AND other."end" = annotations."end" AND other.layer = 'user'"""
)


def mark_unchanged(connection: Connection, project: int | None = None) -> None:
    """Mark what was accepted unchanged, in all projects or in one. Migrations run it: it uses tables of version 0011."""
    within = """ AND sheet_id IN (SELECT sheets.id FROM sheets JOIN documents ON documents.id = sheets.document_id
        WHERE documents.project_id = :project)"""
    for statement in (_ACCEPTED, _AGREED):
        connection.execute(text(statement + (within if project is not None else "")), {"project": project})
