"""What threads do: mentions and texts of several requests together, to lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linnet.link.records import document_record, mention_record
from linnet.serve.bodies import MentionIn, TextIn
from linnet.serve.snapshot import Snapshot
from linnet.types import Document, Mention

__all__ = ["Annotating", "Answered", "Linking", "Work"]

# Milliseconds, roughly, of which only the ratio matters.
_OF_A_MENTION = 3.0
_CHARACTERS = 30.0  # annotated in one
_CONTEXT = 200.0  # characters around mentions, read in one


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer a mention or text, as JSON, in their order; and how many mentions there were, and were linked."""

    lines: list[str]
    mentions: int
    linked: int


@dataclass(frozen=True, slots=True)
class Linking:
    """Mentions of one request. Those of one `document` share its abbreviations, with each other alone."""

    mentions: Sequence[MentionIn]
    k: int

    @property
    def kind(self) -> tuple[Any, ...]:
        """What can be done together is equal."""
        return ("link", self.k)

    @property
    def cost(self) -> float:
        """How long it takes."""
        return sum(_OF_A_MENTION + (len(one.left) + len(one.right)) / _CONTEXT for one in self.mentions)

    @staticmethod
    def run(snapshot: Snapshot, together: Sequence[Linking]) -> list[Answered]:
        """An answer each."""
        asked = [
            Mention.alone(
                one.text,
                left=one.left,
                right=one.right,
                # Two requests may use one name for different documents.
                document=f"{number} {one.document}" if one.document else "",
                type=one.type,
            )
            for number, work in enumerate(together)
            for one in work.mentions
        ]
        links = iter(snapshot.linker.link(asked, k=together[0].k))
        answers = []
        for work in together:
            own = [(one, next(links)) for one in work.mentions]
            lines = [_json(mention_record(link) | {"id": one.id}) for one, link in own]
            answers.append(Answered(lines, len(own), sum(bool(link.concepts) for _, link in own)))
        return answers


@dataclass(frozen=True, slots=True)
class Annotating:
    """Texts of one request. types: keep mentions of these, None for all."""

    texts: Sequence[TextIn]
    k: int
    types: tuple[str, ...] | None = None

    @property
    def kind(self) -> tuple[Any, ...]:
        """What can be done together is equal."""
        return ("annotate", self.k, self.types)

    @property
    def cost(self) -> float:
        """How long it takes."""
        return sum(_OF_A_MENTION + len(one.text) / _CHARACTERS for one in self.texts)

    @staticmethod
    def run(snapshot: Snapshot, together: Sequence[Annotating]) -> list[Answered]:
        """An answer each."""
        documents = [Document("", one.text) for work in together for one in work.texts]
        linked = snapshot.linker.link_documents(
            documents, recognise=True, k=together[0].k, types=together[0].types
        )
        answers = []
        for work in together:
            own = [(one, next(linked)) for one in work.texts]
            lines = [_json(document_record(*found) | {"id": one.id}) for one, found in own]
            links = [link for _, found in own for link in found.links]
            answers.append(Answered(lines, len(links), sum(bool(link.concepts) for link in links)))
        return answers


Work = Linking | Annotating


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
