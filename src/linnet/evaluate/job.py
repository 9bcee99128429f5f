"""Evaluating what files and terminologies are named: who answers, under which protocols, and the report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from linnet import corpora
from linnet.errors import DataError, RequestError
from linnet.evaluate.augmented_linker import augmented_linker
from linnet.evaluate.check import check_gold
from linnet.evaluate.gold import gold_mentions
from linnet.evaluate.learnt import learnt_from
from linnet.evaluate.predictions import read_predictions
from linnet.evaluate.protocols import AUGMENTED, parse_protocol
from linnet.evaluate.report import Report
from linnet.evaluate.run import evaluate_system
from linnet.evaluate.system import System, ask
from linnet.link import Linker
from linnet.types import Document

__all__ = ["Answering", "default_protocols", "report_on"]


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers: a linker, or a file of predictions."""

    name: str
    by: Linker | Path


def default_protocols(answering: Sequence[Answering], *, trained: bool) -> tuple[str, ...]:
    """`strict` and `lenient`; with training data also unseen surfaces and, if only linkers answer, `augmented`."""
    chosen = ["strict", "lenient"]
    if trained:
        chosen.append("strict+unseen-surface")
        if all(isinstance(one.by, Linker) for one in answering):
            chosen.append(f"lenient+{AUGMENTED}")
    return tuple(chosen)


def report_on(
    corpus: str | Path,
    system: Answering,
    *,
    against: Answering | None = None,
    vocabulary: Linker | None = None,
    protocols: Sequence[str] = (),
    train: Sequence[str | Path] = (),
    types: Collection[str] = (),
    format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    on_error: str = "stop",
    allow_missing: bool = False,
    threads: int | None = None,
    provenance: dict[str, Any] | None = None,
    started: Callable[[str], None] = lambda message: None,
) -> Report:
    """Evaluate a system, and a second beside it, on an annotated corpus.

    vocabulary  whose terminologies say which ids there are; by default those of the first linker that answers
    protocols   `default_protocols` when empty
    format         of the corpora, detected from their content if None
    columns        of corpora that are tables, as `corpora.read` names them
    on_error       "skip" leaves malformed parts of the corpora out; the report says how many
    allow_missing  score also where hardly a gold id is in the terminologies
    started        told what is about to be done, and what a corpus holds that is not gold

    Raises RequestError for protocols that cannot be had from these answers or where there is nothing to score
    (`check_gold`), and what reading and linking raise.
    """
    both = [system, against] if against else [system]
    names = tuple(protocols) or default_protocols(both, trained=bool(train))
    rules = [parse_protocol(name) for name in names]
    enlarge = any(rule.augmented for rule in rules)
    if enlarge:
        _can_be_augmented(both, train)
    skipped: list[DataError] = []
    reading = {"format": format, "on_error": on_error, "report": skipped.append, **(columns or {})}
    documents = _annotated(corpus, reading, started)
    learnt = [document for path in train for document in _annotated(path, reading, started)]
    known = vocabulary or next((one.by for one in both if isinstance(one.by, Linker)), None)
    terminologies = known.terminologies if known else ()
    check_gold(
        documents, rules, terminologies, types=types, corpus=Path(corpus).name, allow_missing=allow_missing
    )
    recognise = any(rule.scoring == "end-to-end" for rule in rules)
    with ExitStack() as temporary:

        def answers(one: Answering) -> System:
            if isinstance(one.by, Path):
                return _filed(one.name, one.by, documents, types)
            enlarged = None
            if enlarge:
                started(f"Building the augmented terminology of {one.name} …")
                enlarged = temporary.enter_context(
                    augmented_linker(one.by, learnt, types=types, threads=threads)
                )
            started(f"Linking {Path(corpus).name} with {one.name} …")
            asked = ask(
                one.by, documents, name=one.name, types=types, recognise=recognise, augmented=enlarged
            )
            return replace(asked, notes=learnt_from(one.by, Path(corpus), recognises=recognise))

        systems = [answers(one) for one in both]
    return evaluate_system(
        systems[0],
        documents,
        protocols=names,
        train=learnt if train else None,
        terminologies=terminologies,
        types=types,
        against=systems[1] if against else None,
        corpus=Path(corpus).name,
        allow_missing=allow_missing,
        notes=[f"{len(skipped):,} malformed parts were skipped; the first: {skipped[0]}"] if skipped else (),
        provenance={
            **(provenance or {}),
            "corpus": str(corpus),
            "training corpora": [str(path) for path in train],
            "types": list(types),
            "pipelines": {one.name: asdict(one.by.pipeline) for one in both if isinstance(one.by, Linker)},
        },
    )


def _annotated(
    path: str | Path, reading: Mapping[str, Any], started: Callable[[str], None]
) -> list[Document]:
    """The documents of a corpus; what is left out of them is told. `reading`: options of `corpora.read`."""
    notes = corpora.Notes()
    documents = list(corpora.read(path, annotated=True, note=notes.add, **reading))
    for line in notes.lines():
        started(f"{Path(path).name}: {line}.")
    return documents


def _can_be_augmented(answering: Sequence[Answering], train: Sequence[str | Path]) -> None:
    if not train:
        raise RequestError(
            f"Protocol '{AUGMENTED}' needs the training mentions. Name their files: --train-corpus FILE…"
        )
    filed = next((one.name for one in answering if isinstance(one.by, Path)), None)
    if filed:
        raise RequestError(
            f"Protocol '{AUGMENTED}' links once more with a larger dictionary; '{filed}' is a file of predictions. "
            f"Leave out '{AUGMENTED}', or name terminologies instead."
        )


def _filed(name: str, path: Path, documents: Sequence[Document], types: Collection[str]) -> System:
    answers = read_predictions(path, list(gold_mentions(documents, types=types)))
    return System(name, answers.predictions, answers.found, notes=answers.notes)
