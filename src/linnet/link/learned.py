"""A version of what a project of `linnet annotate` has learnt: a folder, and the linker that uses it.

    version.json            the terminology it belongs to; its digest identifies the version
    names/                  learned names, a small terminology that is searched before the project's
    recogniser/             a tagger, whose confident mentions count
    stops.json              names that are not mentions in these texts, with reasons
    threshold.json          the score below which a mention is NIL
    encoder/, terminology/  an encoder of names, or two towers, and the terminology with an index of its vectors

Everything but version.json is optional.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from linnet.advice import Step
from linnet.errors import MismatchError, StoreError
from linnet.io import artifact
from linnet.link.linker import Linker, Restrictions, allowed_concepts, picklable
from linnet.link.member import Member
from linnet.link.opening import open_member
from linnet.link.pipeline import Pipeline
from linnet.link.terminology_group import TerminologyGroup
from linnet.recognise import COMBINED, DICTIONARY, Recogniser, open_recogniser
from linnet.recognise.joined import FilteredRecogniser, JoinedRecogniser, confident_first, names_first
from linnet.retrieve import open_retriever
from linnet.terminology import Terminology
from linnet.terminology.overrides import Overrides

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
    "indexes_of_names",
    "learned_linker",
]

MANIFEST = "version.json"
NAMES, RECOGNISER, STOPS, THRESHOLD = "names", "recogniser", "stops.json", "threshold.json"
ENCODER, TERMINOLOGY = "encoder", "terminology"

SURE = 0.85
"""Confidence from which the tagger's mentions count, and replace names that overlap them. Chosen on NCBI and BC5CDR train,
where lower values gain more with many documents and lose more with few: docs/results/active-learning.md."""


def learned_linker(
    terminology: Terminology,
    folder: Path,
    *,
    pipeline: Pipeline,
    recogniser: str | None = None,
    threads: int | None = None,
    overrides: str | Path | None = None,
    **restrictions: Unpack[Restrictions],
) -> Linker:
    """The linker of a terminology with what was learnt; arguments as of `Linker.open`.

    recogniser  what finds mentions beside the version's tagger; None for what did when it was learnt

    Learned names obey the restrictions of their concepts. Raises StoreError or a subclass if something is missing or
    damaged, MismatchError if the encoder was trained on another version of the terminology.
    """
    overrides = overrides and Path(overrides).absolute()
    options: dict[str, Any] = {"pipeline": pipeline, "recogniser": recogniser, "threads": threads}
    options |= {"overrides": overrides, **picklable(restrictions)}
    reopen = partial(_reopened, terminology.path.absolute(), folder.absolute(), options)
    pipeline = _learned_pipeline(folder, pipeline)
    indexed = _indexed_anew(folder, terminology)
    [allowed] = allowed_concepts([indexed], **restrictions)
    member = open_member(
        indexed, pipeline, allowed=allowed, threads=threads, second_of=terminology, overrides=overrides
    )
    members = [member]
    if (folder / NAMES).exists():
        # First, so that a name that people chose wins over an equal match.
        members.insert(0, _learned_names(member, Terminology.open(folder / NAMES), pipeline, threads))
    manifest = folder / MANIFEST
    return Linker(
        TerminologyGroup(members),
        pipeline,
        threads=threads,
        recogniser=_recogniser(folder, recogniser or _learnt_beside(folder, pipeline)),
        learned={"name": folder.name, "digest": artifact.digest(manifest)} if manifest.exists() else None,
        reopen=reopen,
    )


def _learned_pipeline(folder: Path, pipeline: Pipeline) -> Pipeline:
    """The pipeline with the version's threshold and encoder."""
    if (folder / THRESHOLD).exists():
        pipeline = replace(pipeline, **json.loads((folder / THRESHOLD).read_text(encoding="utf-8")))
    if (folder / ENCODER).exists():
        pipeline = replace(pipeline, encoder=str(folder / ENCODER))
    # What people taught the version to find has a concept.
    return replace(pipeline, min_probability_recognised=pipeline.min_probability)


def _indexed_anew(folder: Path, terminology: Terminology) -> Terminology:
    """The terminology with vectors of the version's encoder, if it has one; the same otherwise."""
    if not (folder / ENCODER).exists():
        return terminology
    indexed = Terminology.open(folder / TERMINOLOGY)
    if indexed.digest != terminology.digest:
        raise MismatchError(
            "The model's encoder was trained on another version of the terminology. Go back to version 0 and train again."
        )
    return indexed


def _reopened(terminology: Path, folder: Path, options: Mapping[str, Any]) -> Linker:
    return learned_linker(Terminology.open(terminology), folder, **options)


def check_learned(folder: Path, terminology: Terminology) -> None:
    """Raises StoreError if a folder is not a version, DamagedError if it is damaged, MismatchError if it was learnt with
    another terminology."""
    if folder.is_dir() and not (folder / MANIFEST).exists():
        inside = sorted(file.parent.name for file in folder.glob(f"*/{MANIFEST}"))
        raise StoreError(
            f"{folder} is not a version of a project's model: it has no {MANIFEST}. "
            + (
                f"Name {folder / inside[0]}"
                if inside
                else "Name the folder that was downloaded and unpacked."
            )
        )
    again = Step.LEARN_AGAIN()
    fields = artifact.read_manifest(folder, MANIFEST, what="version of a project's model", rebuild=again)
    artifact.check(folder, fields, rebuild=again)
    if fields.get("terminology") != terminology.digest:
        raise MismatchError(
            f"{folder} was learnt with another terminology, or another version of it: expected digest "
            f"{fields.get('terminology')}; {terminology.path} has {terminology.digest}. Name the project's terminology, or train "
            "with this one."
        )


def indexes_of_names(pipeline: Pipeline) -> list[str]:
    """The indexes of learned names: exact, and dense if the pipeline has it. Cosines of dense vectors are comparable among
    few and many names; TF-IDF weights of a few names are not."""
    return ["exact", *(name for name in pipeline.retrievers if name == "dense")]


def _learned_names(member: Member, names: Terminology, pipeline: Pipeline, threads: int | None) -> Member:
    indexes = [
        open_retriever(names, name, encoder=pipeline.encoder, glossary=pipeline.glossary, threads=threads)
        for name in indexes_of_names(pipeline)
    ]
    allowed = None
    if member.allowed is not None:
        rows = [member.terminology.row(id) for id in map(names.ids.__getitem__, range(len(names)))]
        allowed = np.array([row >= 0 and bool(member.allowed[row]) for row in rows], bool)
    overrides = Overrides(names, member.overrides.rows)
    return Member(names, indexes, overrides=overrides, allowed=allowed, learned=True)


def _learnt_beside(folder: Path, pipeline: Pipeline) -> str:
    """The recogniser of the pipeline that the version was learnt with, if the present one is the default."""
    if pipeline.recogniser != COMBINED:
        return pipeline.recogniser
    if not (folder / MANIFEST).exists():
        return DICTIONARY
    fields = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return str(fields.get("pipeline", {}).get("recogniser", DICTIONARY))


def _recogniser(folder: Path, base: str) -> Callable[[TerminologyGroup], Recogniser]:
    def opened(group: TerminologyGroup) -> Recogniser:
        names = group.names()
        recogniser = open_recogniser(base, names)
        if base == COMBINED and (folder / NAMES).exists():
            # What people taught is not for the shipped tagger to judge.
            recogniser = JoinedRecogniser(recogniser, open_recogniser(DICTIONARY, names[:1]), names_first)
        if (folder / RECOGNISER).exists():
            tagger = open_recogniser(folder / RECOGNISER, names)
            recogniser = JoinedRecogniser(tagger, recogniser, confident_first(SURE))
        if (folder / STOPS).exists():
            stops = json.loads((folder / STOPS).read_text(encoding="utf-8"))
            recogniser = FilteredRecogniser(recogniser, stops)
        return recogniser

    return opened
