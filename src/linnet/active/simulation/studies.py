"""Corpora for simulations: a pool of documents to annotate, documents to measure on, and a terminology."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from linnet.active.training_data import resolved
from linnet.advice import Step
from linnet.corpora import read
from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.io import artifact
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import read as read_concepts
from linnet.types import Document, Mention

__all__ = ["Study", "named_corpora", "named_study", "read_study"]


@dataclass(frozen=True, slots=True)
class Study:
    """A divided, annotated corpus.

    pool         documents that the simulated expert annotates, with unique ids
    measured     documents that scores are measured on, never learnt from
    types        of the concepts to link to; () for all
    fingerprint  of documents and terminology
    """

    name: str
    pool: tuple[Document, ...]
    measured: tuple[Document, ...]
    terminology: Terminology
    types: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Named:
    """A corpus with a name; paths are relative to `$LINNET_DATA`.

    label  type of all its mentions; None for their own types
    """

    pool: str
    measured: str
    sources: tuple[str, ...]
    types: tuple[str, ...] = ()
    label: str | None = None


named_corpora: dict[str, Named] = {
    "ncbi": Named(
        "corpora/ncbi-disease/NCBItrainset_corpus.txt",
        "corpora/ncbi-disease/NCBIdevelopset_corpus.txt",
        ("terminologies/medic/medic_06Jul2012.txt",),
        label="Disease",  # its types are classes of mentions
    ),
    "bc5cdr": Named(
        "corpora/bc5cdr/CDR_TrainingSet.PubTator.txt",
        "corpora/bc5cdr/CDR_DevelopmentSet.PubTator.txt",
        (
            "terminologies/mesh2024/desc2024.rebuilt.xml.gz",
            "terminologies/mesh2024/supp2024.rebuilt.xml.gz",
        ),
        types=("Disease", "Chemical"),
    ),
}


def named_study(name: str, folder: Path, *, report: Callable[[str], None]) -> Study:
    """A corpus of `named_corpora`; compiles its terminology into `folder` if it is not there yet.

    report  called with a message before slow work

    Raises UnknownNameError, RequestError without `$LINNET_DATA`, DataError for a missing file.
    """
    if name not in named_corpora:
        raise UnknownNameError("corpus", name, named_corpora)
    wanted = named_corpora[name]
    data = os.environ.get("LINNET_DATA", "")
    if not data:
        raise RequestError(
            f"Corpus '{name}' needs $LINNET_DATA, which is not set. Set it to the folder with corpora/ and terminologies/.",
            Step.GIVE_FILES(),
        )
    paths = [Path(data) / part for part in (wanted.pool, wanted.measured, *wanted.sources)]
    for path in paths:
        if not path.is_file():
            raise DataError(f"this file of corpus '{name}' does not exist. Check $LINNET_DATA.", path=path)
    directory = folder / name
    if not (directory / "terminology.json").is_file():
        report(f"Compiling the terminology of {name}")
        concepts = (concept for path in paths[2:] for concept in read_concepts(path))
        write_terminology(concepts, directory)
    return read_study(
        name,
        paths[0],
        paths[1],
        Terminology.open(directory),
        types=wanted.types,
        label=wanted.label,
    )


def read_study(
    name: str,
    pool: Path,
    measured: Path,
    terminology: Terminology,
    *,
    types: Collection[str] = (),
    label: str | None = None,
) -> Study:
    """Two annotated files of any corpus format.

    types  of the mentions to keep, in any case, and of their concepts; () for all
    label  type of all mentions, instead of their own

    Leaves out documents with a repeated id, and documents of the pool that are also measured on. Raises DataError if a file
    has no mention with a concept.
    """
    dev = _documents(measured, terminology, types, label, without=())
    train = _documents(pool, terminology, types, label, without={document.id for document in dev})
    texts = [
        f"{document.id}\n{document.text}\n{[(m.start, m.end, m.type, m.concepts) for m in document.mentions]}"
        for document in (*train, *dev)
    ]
    fingerprint = artifact.digest(terminology.digest, *types, *texts)
    return Study(name, train, dev, terminology, tuple(types), fingerprint)


def _documents(
    path: Path,
    terminology: Terminology,
    types: Collection[str],
    label: str | None,
    *,
    without: Collection[str],
) -> tuple[Document, ...]:
    wanted = {name.casefold() for name in types}
    kept: dict[str, Document] = {}
    for document in read(path, annotated=True):
        if document.id in without or document.id in kept:
            continue
        mentions = [m for m in document.mentions if not wanted or m.type.casefold() in wanted]
        if label is not None:
            mentions = [replace(m, type=label) for m in mentions]
        kept[document.id] = resolved(document.with_mentions(mentions), terminology)
    if not any(mention.concepts for mention in _mentions(kept.values())):
        of = f" of type {', '.join(types)}" if types else ""
        raise DataError(
            f"no mention{of} is linked to a concept. Give an annotated corpus, or other types.",
            path=path,
        )
    return tuple(kept.values())


def _mentions(documents: Iterable[Document]) -> Iterable[Mention]:
    return (mention for document in documents for mention in document.mentions)
