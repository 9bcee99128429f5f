"""Evaluation from files: read the corpora, ask the systems, report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from linnet import corpora
from linnet.advice import Step
from linnet.errors import DataError, RequestError
from linnet.evaluate.augmented_linker import augmented_linker
from linnet.evaluate.check import check_gold
from linnet.evaluate.gold import gold_mentions
from linnet.evaluate.leaks import training_leaks
from linnet.evaluate.predictions import read_predictions
from linnet.evaluate.protocols import AUGMENTED, parse_protocol
from linnet.evaluate.report import Report
from linnet.evaluate.run import evaluate_system
from linnet.evaluate.system import Progress, System, ask
from linnet.link import Linker
from linnet.plural import counted
from linnet.types import Document

__all__ = ["Answering", "default_protocols", "report_on"]


@dataclass(frozen=True, slots=True)
class Answering:
    """A system to evaluate: a linker, or a file of predictions."""

    name: str
    by: Linker | Path


def default_protocols(answering: Sequence[Answering], *, trained: bool) -> tuple[str, ...]:
    """`strict` and `lenient`; with training data also unseen surfaces and, if all systems are linkers, `augmented`."""
    names = ["strict", "lenient"]
    if trained:
        names.append("strict+unseen-surface")
        if all(isinstance(system.by, Linker) for system in answering):
            names.append(f"lenient+{AUGMENTED}")
    return tuple(names)


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
    tell: Callable[[str], None] = lambda message: None,
    progress: Progress = lambda batches, what, total: batches,
) -> Report:
    """Evaluate a system, and optionally a second one, on an annotated corpus.

    vocabulary     the linker whose terminologies define the known ids; default: the first linker evaluated
    protocols      `default_protocols` if empty
    format         of the corpora; detected from their content if None
    columns        of corpora that are tables, as `corpora.read` names them
    on_error       "skip" leaves malformed parts of the corpora out; the report says how many
    allow_missing  score even if the terminologies have hardly any of the gold ids
    tell           called with a message before each step, and with what a corpus holds that is not gold
    progress       of linking, see `ask`

    Raises RequestError for protocols that these systems cannot answer or if there is nothing to score (`check_gold`),
    and the errors of reading and linking.
    """
    systems = [system, against] if against else [system]
    names = tuple(protocols) or default_protocols(systems, trained=bool(train))
    rules = [parse_protocol(name) for name in names]
    augment = any(rule.augmented for rule in rules)
    if augment:
        _check_augmentable(systems, train)
    skipped: list[DataError] = []
    reading = {"format": format, "on_error": on_error, "report": skipped.append, **(columns or {})}
    documents = _annotated(corpus, reading, tell)
    training = [document for path in train for document in _annotated(path, reading, tell)]
    linkers = {system.name: system.by for system in systems if isinstance(system.by, Linker)}
    known = vocabulary or next(iter(linkers.values()), None)
    terminologies = known.terminologies if known else ()
    check_gold(
        documents, rules, terminologies, types=types, corpus=Path(corpus).name, allow_missing=allow_missing
    )
    recognise = any(rule.scoring == "end-to-end" for rule in rules)
    with ExitStack() as temporary:

        def answers(name: str, by: Linker | Path) -> System:
            if isinstance(by, Path):
                predicted = read_predictions(by, list(gold_mentions(documents, types=types)))
                return System(name, predicted.predictions, predicted.annotations, notes=predicted.notes)
            augmented = None
            if augment:
                tell(f"Building the augmented terminology of {name} …")
                augmented = temporary.enter_context(
                    augmented_linker(by, training, types=types, threads=threads)
                )
            tell(f"Linking {Path(corpus).name} with {name} …")
            answered = ask(
                by,
                documents,
                name=name,
                types=types,
                recognise=recognise,
                augmented=augmented,
                progress=progress,
            )
            return replace(answered, notes=training_leaks(by, Path(corpus), recognises=recognise))

        answered = [answers(system.name, system.by) for system in systems]
    return evaluate_system(
        answered[0],
        documents,
        protocols=names,
        train=training if train else None,
        terminologies=terminologies,
        types=types,
        against=answered[1] if against else None,
        corpus=Path(corpus).name,
        allow_missing=allow_missing,
        notes=[f"{counted(len(skipped), 'malformed parts were skipped')}; the first: {skipped[0].happened}"]
        if skipped
        else (),
        provenance={
            **(provenance or {}),
            "corpus": str(corpus),
            "training corpora": [str(path) for path in train],
            "types": list(types),
            "pipelines": {name: asdict(linker.pipeline) for name, linker in linkers.items()},
        },
    )


def _annotated(path: str | Path, reading: Mapping[str, Any], tell: Callable[[str], None]) -> list[Document]:
    """The documents of a corpus; `tell` is called with what was left out. `reading`: options of `corpora.read`."""
    notes = corpora.Notes()
    documents = list(corpora.read(path, annotated=True, note=notes.add, **reading))
    for line in notes.lines():
        tell(f"{Path(path).name}: {line}.")
    return documents


def _check_augmentable(systems: Sequence[Answering], train: Sequence[str | Path]) -> None:
    if not train:
        raise RequestError(
            f"Protocol '{AUGMENTED}' needs the training mentions.",
            Step.GIVE_TRAINING_DATA(),
        )
    file = next((system.name for system in systems if isinstance(system.by, Path)), None)
    if file:
        raise RequestError(
            f"Protocol '{AUGMENTED}' links again with a larger dictionary, but '{file}' is a file of predictions. "
            f"Leave out '{AUGMENTED}', or give a terminology instead."
        )
