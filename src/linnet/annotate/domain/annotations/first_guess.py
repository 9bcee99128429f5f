"""Attributes that the assertion rules guess for annotations that a user makes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations.editor import Editor
from linnet.annotate.domain.annotations.snapshot import Edit, Snapshot
from linnet.annotate.domain.attributes.definitions import Values, guessed
from linnet.annotate.domain.attributes.guessing import guess
from linnet.annotate.domain.projects.finding import find_document, find_project

__all__ = ["guess_at", "guess_in", "with_guesses"]


def guess_at(editor: Editor, annotations: Sequence[Snapshot]) -> list[Values]:
    """For each annotation the attributes that the project has guessed. Order kept."""
    spans = [(annotation["start"], annotation["end"]) for annotation in annotations]
    types = [annotation["type"] for annotation in annotations]
    return guess(editor.document.text, spans, guessed(editor.project.attributes), types=types)


def guess_in(session: Session, document: int, start: int, end: int, type: str = "") -> Values:
    """The same for a span of a document, of a type if it is known; nothing for one outside the text. Raises NotFound."""
    row = find_document(session, document, text=True)
    names = guessed(find_project(session, row.project_id).attributes)
    fits = start < end <= row.characters
    [values] = guess(row.text, [(start, end)], names if fits else (), types=[type])
    return values


def with_guesses(editor: Editor, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, with guessed attributes for new annotations: what holds at one place need not hold at another."""
    fresh = [edit.after for edit in edits if edit.id is None and edit.after is not None]
    guesses = iter(guess_at(editor, fresh))
    return [
        edit._replace(after=edit.after | {"attributes": next(guesses)})
        if edit.id is None and edit.after is not None
        else edit
        for edit in edits
    ]
