"""Links as JSON Lines, in the shapes of the command line's contract."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from linnet.corpora.mentions import context_of, mention_id
from linnet.io.files import open_output
from linnet.jobs.records import document_record, mention_record
from linnet.link.linker import Linked
from linnet.types import Document, Mention
from linnet.words.sentences import split_sentences

__all__ = ["write_documents", "write_mentions"]


def write_documents(linked: Iterable[Linked], path: str | Path, *, assertion: bool = False) -> None:
    """One document per line, with its linked mentions. assertion: with what its text was read as"""
    with open_output(path) as stream:
        for document, links in linked:
            record = document_record(document, links, assertion=assertion)
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_mentions(linked: Iterable[Linked], path: str | Path, *, assertion: bool = False) -> None:
    """One mention per line. A document that is a single mention keeps its id.

    Mentions of other documents get an id from document and offsets (repeated ones with `#2`, `#3` …), and the fields needed
    to link or score them again: `document`, `start`, `end`, `type`, and their sentence as `left` and `right`.

    assertion  with what their text was read as
    """
    ids: Counter[str] = Counter()
    with open_output(path) as stream:
        for document, links in linked:
            is_mention = _is_single_mention(document)
            sentences = [] if is_mention else split_sentences(document.text)
            for link in links:
                record = mention_record(link, assertion=assertion)
                if not is_mention:
                    record = _placed(link.mention, sentences) | record | {"id": mention_id(link.mention)}
                    ids[record["id"]] += 1
                    if ids[record["id"]] > 1:
                        record["id"] += f"#{ids[record['id']]}"
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def _is_single_mention(document: Document) -> bool:
    if "mentions" in document.extra or "table" in document.extra:
        return True
    return len(document.mentions) == 1 and document.mentions[0].text == document.text.strip()


def _placed(mention: Mention, sentences: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """The fields of a mention's record in their order, with its place in the document; some are filled in later."""
    left, right = context_of(mention, sentences)
    return {
        "id": "",
        "text": mention.text,
        "left": left,
        "right": right,
        "document": mention.document.id,
        "start": mention.start,
        "end": mention.end,
        **({"type": mention.type} if mention.type else {}),
    }
