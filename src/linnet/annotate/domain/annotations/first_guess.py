"""Attributes that the assertion rules guess for annotations that a user makes."""

from __future__ import annotations

from collections.abc import Sequence

from linnet.annotate.domain.annotations.editor import Editor
from linnet.annotate.domain.annotations.snapshot import Edit
from linnet.annotate.domain.attributes.definitions import Values, guessed
from linnet.annotate.domain.attributes.guessing import guess

__all__ = ["guess_at", "with_guesses"]


def guess_at(editor: Editor, spans: Sequence[tuple[int, int]]) -> list[Values]:
    """For each span the attributes that the project has guessed. Order kept."""
    return guess(editor.document.text, spans, guessed(editor.project.attributes))


def with_guesses(editor: Editor, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, with guessed attributes for new annotations: what holds at one place need not hold at another."""
    fresh = [edit for edit in edits if edit.id is None and edit.after is not None]
    spans = [(edit.after["start"], edit.after["end"]) for edit in fresh if edit.after is not None]
    guesses = iter(guess_at(editor, spans))
    return [
        edit._replace(after=edit.after | {"attributes": next(guesses)})
        if edit.id is None and edit.after is not None
        else edit
        for edit in edits
    ]
