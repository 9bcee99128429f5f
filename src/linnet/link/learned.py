"""What a project of `linnet annotate` has learnt, beside its terminology: a folder, and the linker that makes use of it.

    version.json            of which terminology it is; its digest names the version
    names/                  learned names, a small terminology that is searched before the project's
    recogniser/             a tagger, whose mentions count where it is sure
    stops.json              names that are not mentions in these texts: an object, name to reason
    threshold.json          the score below which a mention is NIL
    encoder/, terminology/  an encoder of names, and the terminology with an index of its vectors

All but the first are there only where there was something to learn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from linnet import artifact
from linnet.errors import MismatchError, StoreError
from linnet.link.linker import Linker, open_member
from linnet.link.pipeline import Pipeline
from linnet.link.terminology_group import Member, TerminologyGroup
from linnet.recognise import Recogniser, open_recogniser
from linnet.recognise.combined import CombinedRecogniser, FilteredRecogniser
from linnet.retrieve import open_retriever
from linnet.terminology import Terminology
from linnet.terminology.id_lists import check_ids
from linnet.terminology.overrides import read_overrides

__all__ = [
    "ENCODER",
    "MANIFEST",
    "NAMES",
    "RECOGNISER",
    "STOPS",
    "SURE",
    "TERMINOLOGY",
    "THRESHOLD",
    "check_learned",
    "learned_linker",
    "searched",
]

MANIFEST = "version.json"
NAMES, RECOGNISER, STOPS, THRESHOLD = "names", "recogniser", "stops.json", "threshold.json"
ENCODER, TERMINOLOGY = "encoder", "terminology"

SURE = 0.85
"""Confidence from which on the tagger's mentions count, and names that overlap them do not. Chosen inside NCBI and BC5CDR
train, where lower ones gain more with many documents and lose more with few: docs/results/active-learning.md."""


def learned_linker(
    terminology: Terminology,
    folder: Path,
    *,
    pipeline: Pipeline,
    concept_types: Collection[str] | None = None,
    sources: Collection[str] | None = None,
    allow: Collection[str] | None = None,
    deny: Collection[str] = (),
    threads: int | None = None,
) -> Linker:
    """The linker of a terminology with what was learnt; arguments as of `Linker.open`.

    Learned names obey the restrictions that their concepts are under. Raises StoreError and its kin where something is
    missing or damaged, MismatchError where an encoder is of another version of the terminology.
    """
    reopen = partial(
        _reopened,
        terminology.path.absolute(),
        folder.absolute(),
        pipeline=pipeline,
        concept_types=None if concept_types is None else tuple(concept_types),
        sources=None if sources is None else tuple(sources),
        allow=None if allow is None else tuple(allow),
        deny=tuple(deny),
        threads=threads,
    )
    if (folder / THRESHOLD).exists():
        pipeline = replace(pipeline, **json.loads((folder / THRESHOLD).read_text(encoding="utf-8")))
    if (folder / ENCODER).exists():
        pipeline = replace(pipeline, encoder=str(folder / ENCODER))
        indexed = Terminology.open(folder / TERMINOLOGY)
        if indexed.digest != terminology.digest:
            raise MismatchError(
                "The model's encoder was trained on another version of the terminology. Go back to version 0 and train anew."
            )
        terminology = indexed
    check_ids([terminology], allow=allow, deny=deny)
    allowed = terminology.select(types=concept_types, sources=sources, allow=allow, deny=deny)
    members = [open_member(terminology, pipeline, allowed=allowed, threads=threads)]
    if (folder / NAMES).exists():
        members.insert(0, _names(members[0], Terminology.open(folder / NAMES), pipeline, threads))
    return Linker(
        TerminologyGroup(members),
        pipeline,
        threads=threads,
        recogniser=_recogniser(folder, pipeline),
        learned={"name": folder.name, "digest": artifact.digest(folder / MANIFEST)}
        if (folder / MANIFEST).exists()
        else None,
        reopen=reopen,
    )


def _reopened(terminology: Path, folder: Path, **options: Any) -> Linker:
    return learned_linker(Terminology.open(terminology), folder, **options)


def check_learned(folder: Path, terminology: Terminology) -> None:
    """Make sure that a folder is a version, and was learnt with this terminology.

    Raises StoreError, DamagedError, MismatchError.
    """
    if folder.is_dir() and not (folder / MANIFEST).exists():
        inside = sorted(file.parent.name for file in folder.glob(f"*/{MANIFEST}"))
        raise StoreError(
            f"{folder} is not a version of a project's model: it has no {MANIFEST}. "
            + (
                f"Name the folder in it: {folder / inside[0]}"
                if inside
                else "Name the folder that was downloaded and unpacked."
            )
        )
    again = "linnet annotate, download the version's files again, or train anew"
    fields = artifact.read_manifest(folder, MANIFEST, what="version of a project's model", rebuild=again)
    artifact.check(folder, fields, rebuild=again)
    if fields.get("terminology") != terminology.digest:
        raise MismatchError(
            f"{folder} was learnt with another terminology, or another version of it, than {terminology.path}: expected digest "
            f"{fields.get('terminology')}, got {terminology.digest}. Name the project's terminology, or train with this one."
        )


def searched(pipeline: Pipeline) -> list[str]:
    """The indexes of learned names: exact, and dense where the pipeline has it, whose cosines mean the same among few
    names as among many. TF-IDF weights of a few names are no measure of similarity."""
    return ["exact", *(name for name in pipeline.retrievers if name == "dense")]


def _names(member: Member, names: Terminology, pipeline: Pipeline, threads: int | None) -> Member:
    """First, so that of equal matches the one that people made wins."""
    indexes = [
        open_retriever(names, name, encoder=pipeline.encoder, glossary=pipeline.glossary, threads=threads)
        for name in searched(pipeline)
    ]
    allowed = None
    if member.allowed is not None:
        rows = [member.terminology.row(id) for id in map(names.ids.__getitem__, range(len(names)))]
        allowed = np.array([row >= 0 and bool(member.allowed[row]) for row in rows], bool)
    return Member(names, indexes, overrides=read_overrides(names), allowed=allowed, learned=True)


def _recogniser(folder: Path, pipeline: Pipeline) -> Callable[[TerminologyGroup], Recogniser]:
    def opened(group: TerminologyGroup) -> Recogniser:
        names = group.names()
        found = open_recogniser(pipeline.recogniser, names)
        if (folder / RECOGNISER).exists():
            found = CombinedRecogniser(
                open_recogniser(folder / RECOGNISER, names), found, min_confidence=SURE
            )
        if (folder / STOPS).exists():
            found = FilteredRecogniser(found, json.loads((folder / STOPS).read_text(encoding="utf-8")))
        return found

    return opened
