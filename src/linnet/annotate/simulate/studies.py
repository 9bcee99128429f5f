"""Corpora for simulations: documents that can be annotated, documents to measure on, and a terminology."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from linnet import artifact
from linnet.annotate.learning.training_data import resolved
from linnet.corpora import read
from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import read as read_concepts
from linnet.types import Document, Mention

__all__ = ["Study", "named_corpora", "named_study", "read_study"]


@dataclass(frozen=True, slots=True)
class Study:
    """An annotated corpus, divided.

    pool         documents that the oracle annotates in the order that a strategy chooses, ids all different
    measured     documents that scores are measured on; none is learnt from
    types        of the concepts that mentions are linked to; all where none is named
    fingerprint  differs where documents or terminology do
    """

    name: str
    pool: tuple[Document, ...]
    measured: tuple[Document, ...]
    terminology: Terminology
    types: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Named:
    """A corpus that is known by name; paths are below `$LINNET_DATA`.

    label  what all its mentions are called, None for their own types
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
    """A corpus of `named_corpora`; its terminology is compiled into `folder` where it is not there yet.

    report  is told what takes long before it begins

    Raises UnknownNameError, RequestError without `$LINNET_DATA`, DataError where a file is missing.
    """
    if name not in named_corpora:
        raise UnknownNameError("corpus", name, named_corpora)
    wanted = named_corpora[name]
    data = os.environ.get("LINNET_DATA", "")
    if not data:
        raise RequestError(
            f"Corpus '{name}' is looked for below $LINNET_DATA, which is not set. Set it to the folder with corpora/ and "
            "terminologies/, or name files: --pool FILE --dev FILE --terminology DIR"
        )
    paths = [Path(data) / part for part in (wanted.pool, wanted.measured, *wanted.sources)]
    for path in paths:
        if not path.is_file():
            raise DataError(
                f"corpus '{name}' needs this file, which does not exist. Check $LINNET_DATA.", path=path
            )
    place = folder / name
    if not (place / "terminology.json").is_file():
        report(f"Compiling the terminology of {name}")
        concepts = (concept for path in paths[2:] for concept in read_concepts(path))
        write_terminology(concepts, place)
    return read_study(
        name,
        paths[0],
        paths[1],
        Terminology.open(place),
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

    types  mentions of these types only, in any case of letters, linked to concepts of these types; all for none
    label  what all mentions are called instead of their types

    A document whose id came before, and one of the pool that is also measured on, is left out. Raises DataError where a
    file has no mention with a concept.
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
            f"no mention{of} is linked to a concept in it. Name an annotated corpus, or other types.",
            path=path,
        )
    return tuple(kept.values())


def _mentions(documents: Iterable[Document]) -> Iterable[Mention]:
    return (mention for document in documents for mention in document.mentions)
