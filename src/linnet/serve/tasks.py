"""What the linking threads run: the mentions or texts of several requests in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linnet.jobs.records import document_record, mention_record
from linnet.link.candidates import read_candidates
from linnet.serve.request_models import MentionIn, TextIn
from linnet.serve.snapshot import Snapshot
from linnet.types import Document, Mention

__all__ = ["AnnotateTask", "LinkTask", "Result", "Task"]

# Milliseconds, roughly; only their ratio matters.
_MENTION_COST = 3.0
_TEXT_CHARACTERS = 30.0  # annotated in one
_CONTEXT_CHARACTERS = 200.0  # around mentions, read in one


@dataclass(frozen=True, slots=True)
class Result:
    """An answer for each mention or text, in order, as in `response_models`; and how many mentions there were, and were linked."""

    answers: Sequence[dict[str, Any]]
    mentions: int
    linked: int


@dataclass(frozen=True, slots=True)
class LinkTask:
    """Mentions of one request. Only within it do mentions of one `document` share abbreviations."""

    mentions: Sequence[MentionIn]
    k: int

    @property
    def kind(self) -> tuple[Any, ...]:
        """Tasks of the same kind can run in one call."""
        return ("link", self.k)

    @property
    def cost(self) -> float:
        """Expected time."""
        return sum(
            _MENTION_COST + (len(mention.left) + len(mention.right)) / _CONTEXT_CHARACTERS
            for mention in self.mentions
        )

    @staticmethod
    def run(snapshot: Snapshot, tasks: Sequence[LinkTask]) -> list[Result]:
        """The result of each task."""
        mentions = [
            Mention.alone(
                mention.text,
                left=mention.left,
                right=mention.right,
                # Two requests may use one name for different documents.
                document=f"{number} {mention.document}" if mention.document else "",
                type=mention.type,
            )
            for number, task in enumerate(tasks)
            for mention in task.mentions
        ]
        linked = snapshot.linker.link(mentions, k=tasks[0].k)
        read_candidates(linked)
        links = iter(linked)
        results = []
        for task in tasks:
            task_links = [next(links) for _ in task.mentions]
            answers = [
                mention_record(link) | {"id": mention.id}
                for mention, link in zip(task.mentions, task_links, strict=True)
            ]
            results.append(Result(answers, len(answers), sum(bool(link.concepts) for link in task_links)))
        return results


@dataclass(frozen=True, slots=True)
class AnnotateTask:
    """Texts of one request. types: keep mentions of these; None for all."""

    texts: Sequence[TextIn]
    k: int
    types: tuple[str, ...] | None = None

    @property
    def kind(self) -> tuple[Any, ...]:
        """Tasks of the same kind can run in one call."""
        return ("annotate", self.k, self.types)

    @property
    def cost(self) -> float:
        """Expected time."""
        return sum(_MENTION_COST + len(text.text) / _TEXT_CHARACTERS for text in self.texts)

    @staticmethod
    def run(snapshot: Snapshot, tasks: Sequence[AnnotateTask]) -> list[Result]:
        """The result of each task."""
        documents = [Document("", text.text) for task in tasks for text in task.texts]
        linked = snapshot.linker.link_documents(documents, recognise=True, k=tasks[0].k, types=tasks[0].types)
        assertion = snapshot.linker.pipeline.assertion
        results = []
        for task in tasks:
            task_linked = [next(linked) for _ in task.texts]
            links = [link for _, document_links in task_linked for link in document_links]
            read_candidates(links)
            answers = [
                document_record(*document, assertion=assertion) | {"id": text.id}
                for text, document in zip(task.texts, task_linked, strict=True)
            ]
            results.append(Result(answers, len(links), sum(bool(link.concepts) for link in links)))
        return results


Task = LinkTask | AnnotateTask
