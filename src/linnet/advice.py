"""What to do about an error: a step and its facts. Whoever shows the error words it for their users.

    Python         the value of the step; `str(error)` ends with it
    command line   cli/advice.tsv
    services       http/advice.tsv, for the page, for REST and for the log

A wording has facts in braces, a list of them joined by commas; `!r` writes them as Python does. Words in brackets around a fact are
left out where the fact is unknown; one that is True stands for itself and is written as nothing:

>>> worded("linnet index {terminology}[ --retriever {retrievers}][ --update{update}]", {"terminology": "mesh", "update": True})
'linnet index mesh --update'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from pathlib import Path
from typing import Self

__all__ = ["Advice", "Note", "Step", "read_wordings", "with_advice", "worded"]

_FACT = re.compile(r"\{(\w+)(!r)?\}")
_OPTIONAL = re.compile(r"\[([^][]*\{[^][]*)\]")
_INDEX = "linnet.link.indexing.index_terminology(linnet.open_terminology({terminology!r})"


@unique
class Step(Enum):
    """What to do next, in words for Python. Called with its facts, it is an `Advice`."""

    BUILD_TERMINOLOGY = "Build it: linnet.build(SOURCES, {terminology!r})."
    BUILD_INDEX = (
        f"Build it: {_INDEX}[, retrievers={{retrievers!r}}][, encoder={{encoder!r}}][, dense={{form!r}}][, glossary=False{{plain}}]"
        "[, pipeline={pipeline!r}][, reranker={reranker!r}][, update=True{update}])."
    )
    UPDATE_INDEXES = f"Build what is outdated: {_INDEX}, update=True); or only this: {_INDEX}, retrievers={{retrievers!r}})."
    BUILD_OWN = "To build one of your own: linnet.build(SOURCES, DIR)."
    SHOW_TERMINOLOGY = "See linnet.open_terminology({terminology!r}).types and .sources."
    BUILD_SEARCH = "Build it again: SearchIndex.build(linnet.open_terminology({terminology!r})), of linnet.terminology.search."
    VERIFY_TERMINOLOGY = "Find the file: Terminology.open(DIR, verify=True), of linnet.terminology."
    MODEL_AGAIN = "Fetch, export or train the model again."
    TRAIN_AGAIN = "Train the model again: linnet.train.run.run(RUN_FILE, overwrite=True)."
    LEARN_AGAIN = "Download the version from linnet annotate again, or train again there."
    NAME_TERMINOLOGY = "Name at least one: linnet.load(DIR)."
    BUILD_OR_REPLACE = (
        "Build it with that encoder: index_terminology(…, encoder={encoder!r}), or use another terminology."
    )
    NAME_INDEXES = "Name one or more, e.g. retrievers={retrievers!r}."
    ADD_INDEX = "Add that: retrievers={retrievers!r}."
    BUILD_OLDER_INDEX = (
        "Build it: index_terminology(linnet.open_terminology({terminology!r})), or leave since out."
    )

    def __call__(self, **facts: object) -> Advice:
        return Advice(self, facts)


@dataclass(frozen=True)
class Advice:
    """A step with the names and paths that it is about."""

    step: Step
    facts: Mapping[str, object]

    def __str__(self) -> str:
        return worded(self.step.value, self.facts)


class Note(str):
    """A message about something that is no error, with advice."""

    message: str
    advice: tuple[Advice, ...]

    def __new__(cls, message: str, *advice: Advice) -> Self:
        note = super().__new__(cls, with_advice(message, advice, str))
        note.message, note.advice = message, advice
        return note

    def worded(self, wording: Callable[[Advice], str]) -> str:
        """The message, and the advice in these words."""
        return with_advice(self.message, self.advice, wording)


def with_advice(message: str, advice: Sequence[Advice], wording: Callable[[Advice], str]) -> str:
    """A message and its advice in these words; "" for advice that does not apply. A message of several lines is not continued."""
    words = [words for words in map(wording, advice) if words]
    return ("\n" if "\n" in message else " ").join([message, *words])


def worded(wording: str, facts: Mapping[str, object]) -> str:
    """The wording with the facts in it. Raises KeyError for a fact outside brackets that is unknown."""

    def optional(match: re.Match[str]) -> str:
        return match[1] if all(name in facts for name, _ in _FACT.findall(match[1])) else ""

    def fact(match: re.Match[str]) -> str:
        value = facts[match[1]]
        if value is True:
            return ""
        values = [str(each) for each in value] if isinstance(value, list | tuple) else str(value)
        if match[2]:
            return repr(values)
        return ",".join(values) if isinstance(values, list) else values

    return _FACT.sub(fact, _OPTIONAL.sub(optional, wording))


def read_wordings(path: Path) -> dict[Step, list[list[str]]]:
    """The lines of a table of wordings by step, in the order of the file: their other columns. `#` begins a comment."""
    wordings: dict[Step, list[list[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            step, *columns = line.split("\t")
            wordings.setdefault(Step[step], []).append(columns)
    return wordings
