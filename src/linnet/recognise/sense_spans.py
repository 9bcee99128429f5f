"""Short forms of notes as mentions, where one of their senses names something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linnet.read.senses import TYPES, find_short_forms
from linnet.recognise.joined import with_free
from linnet.recognise.text_kind import is_note
from linnet.types import Document, Mention

__all__ = ["with_short_forms"]


def with_short_forms(
    document: Document, mentions: Sequence[Mention], labels: Mapping[str, str]
) -> list[Mention]:
    """The mentions of a document and, if it is a note, its short forms in the places that are free, in text order; a mention
    within a short form gives way.

    labels  "Disease" and "Chemical" → what mentions of these kinds are called; other kinds are not looked for
    """
    if not is_note(document):
        return list(mentions)
    short_forms = [
        Mention(
            document,
            start,
            end,
            document.text[start:end],
            labels[TYPES[kind]],
            source="senses",
            confidence=round(sure, 4),
        )
        for start, end, kind, sure in find_short_forms(document)
        if TYPES[kind] in labels
    ]
    kept = [
        mention
        for mention in mentions
        if not any(short.start <= mention.start and mention.end <= short.end for short in short_forms)
    ]
    return with_free(kept, short_forms)
