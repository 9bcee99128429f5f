"""Links as JSON Lines, in the shapes of the command line's contract."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from linnet.corpora.mentions import context_of, mention_id
from linnet.files import open_output
from linnet.link.linker import Linked
from linnet.link.records import document_record, mention_record
from linnet.sentences import split_sentences
from linnet.types import Document, Mention

__all__ = ["write_documents", "write_mentions"]


def write_documents(linked: Iterable[Linked], path: str | Path) -> None:
    """One document a line, with its linked mentions."""
    with open_output(path) as stream:
        for document, links in linked:
            stream.write(json.dumps(document_record(document, links), ensure_ascii=False) + "\n")


def write_mentions(linked: Iterable[Linked], path: str | Path) -> None:
    """One mention a line. A document that is one mention gives its record as it came in.

    Mentions of other documents get an id of document and offsets (one that repeats `#2`, `#3` …), and what is needed to
    link them again or to score them: `document`, `start`, `end`, `type`, and their sentence as `left` and `right`.
    """
    given: Counter[str] = Counter()
    with open_output(path) as stream:
        for document, links in linked:
            alone = _is_one_mention(document)
            sentences = [] if alone else split_sentences(document.text)
            for link in links:
                record = mention_record(link)
                if not alone:
                    record = _placed(link.mention, sentences) | record | {"id": mention_id(link.mention)}
                    given[record["id"]] += 1
                    if given[record["id"]] > 1:
                        record["id"] += f"#{given[record['id']]}"
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def _is_one_mention(document: Document) -> bool:
    if "mentions" in document.extra or "table" in document.extra:
        return True
    return len(document.mentions) == 1 and document.mentions[0].text == document.text.strip()


def _placed(mention: Mention, sentences: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Where a mention is: the fields of its record in their order, some to be filled."""
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
