"""The configuration of a linker, as data, so that other processes can open the same linker."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, Self

from linnet.advice import Step
from linnet.errors import RequestError, UnknownNameError
from linnet.link.arguments import checked_threads
from linnet.link.learned import check_learned, learned_linker
from linnet.link.linker import Linker, Restrictions
from linnet.link.pipeline import Pipeline
from linnet.link.pipeline_files import checked_fields, read_pipeline
from linnet.link.second_index import second_index
from linnet.retrieve.registry import has_vectors, suitable_encoder
from linnet.terminology import Terminology

__all__ = ["STARTER", "LinkerConfig"]

STARTER = "starter"
"""Instead of a path: the small packaged terminology. A folder of that name is "./starter"."""


_RESTRICTIONS = tuple(Restrictions.__annotations__)
_PIPELINE = tuple(field.name for field in fields(Pipeline))
# What people look for among the options of `load`.
_ELSEWHERE = {
    "k": "The number of candidates is an option of each call: linker.link(mentions, k={})",
    "terminology": "Terminologies come first, without a name: linnet.load({})",
    "terminologies": "Terminologies come first, without a name: linnet.load(*{})",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkerConfig:
    """The arguments of `linnet.load`, picklable.

    terminologies  paths, in order of precedence; "starter" is the packaged one
    changes        fields that differ from the pipeline of the first terminology
    concept_types … deny  restrict the concepts, see `Terminology.select`
    threads        for retrieval; None: all cores
    learned        folder of a version of what a project of `linnet annotate` has learnt, see `linnet.link.learned`
    overrides      file of overrides beside those of the terminologies, see `linnet.terminology.overrides`
    """

    terminologies: tuple[str, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)
    concept_types: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    threads: int | None = None
    learned: str | None = None
    overrides: str | None = None

    @classmethod
    def of(cls, terminologies: Collection[str | Path], options: Mapping[str, Any]) -> Self:
        """From the arguments of `linnet.load`.

        Raises RequestError without a terminology, and for a value that an option cannot have; UnknownNameError for an unknown
        option or pipeline; DataError for a pipeline's file that cannot be used.
        """
        _check_arguments(terminologies, options)
        given: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list | set | frozenset) else v for name, v in options.items()
        }
        changes = checked_fields({name: given.pop(name) for name in _PIPELINE if name in given})
        pipeline = given.pop("pipeline", None)
        for name in ("learned", "overrides"):
            if given.get(name) is not None:
                given[name] = str(given[name])
        if pipeline is not None:
            read = checked_fields if isinstance(pipeline, Mapping) else read_pipeline
            changes = {**read(pipeline), **changes}
        return cls(
            terminologies=tuple(_path(terminology) for terminology in terminologies),
            changes=changes,
            **{name: value for name, value in given.items() if value is not None},
        )

    def open(self) -> Linker:
        """The linker.

        Raises as `Linker.open` and `check_learned`; RequestError for `min_probability` without a calibrator, for several
        terminologies with `learned`, and for an encoder that none of the indexes is for.
        """
        opened = [Terminology.open(_starter() if path == STARTER else path) for path in self.terminologies]
        pipeline = self._pipeline(opened[0])
        for path, terminology in zip(self.terminologies, opened, strict=True):
            if path == STARTER:
                _prepare_starter(terminology, pipeline)
        if self.changes.get("encoder") is not None:
            _check_encoder(pipeline, self.terminologies[0])
        options: dict[str, Any] = {
            name: getattr(self, name) for name in (*_RESTRICTIONS, "threads", "overrides")
        }
        if self.learned is None:
            linker = Linker.open(opened, pipeline=pipeline, **options)
        elif len(opened) == 1:
            check_learned(Path(self.learned), opened[0])
            linker = learned_linker(opened[0], Path(self.learned), pipeline=pipeline, **options)
        else:
            raise RequestError(
                f"A learned version belongs to the terminology of its project; got {len(opened)} terminologies. Name only that one."
            )
        least = next(
            (name for name in ("min_probability", "min_probability_recognised") if name in self.changes), ""
        )
        if least and not linker.reranking.calibrator.curves:
            raise RequestError(
                f"{least} needs a calibrator, but the reranker '{pipeline.reranker or 'none'}' has none, so "
                "probabilities are null. Leave it out, or name a calibrated reranker, e.g. context."
            )
        return linker

    def located(self) -> Self:
        """The config with absolute paths, for a server: the starter is compiled, with the index of the pipeline's reranker, and its
        folder takes the place of its name.

        Raises as `Terminology.open` for the first terminology, if one is the starter.
        """
        paths = {path: str(Path(path).absolute()) for path in self.terminologies}
        if STARTER in paths:
            starter = _starter()
            paths[STARTER] = str(starter.absolute())
            pipeline = self._pipeline(Terminology.open(paths[self.terminologies[0]]))
            _prepare_starter(Terminology.open(starter), pipeline)
        return replace(self, terminologies=tuple(paths[path] for path in self.terminologies))

    def _pipeline(self, first: Terminology) -> Pipeline:
        """The pipeline of the first terminology, with the changes."""
        changes = dict(self.changes)
        if "min_probability" in changes:  # alone, it holds for all mentions
            changes.setdefault("min_probability_recognised", changes["min_probability"])
        return replace(Pipeline.from_manifest(first.pipeline), **changes)


def _check_arguments(terminologies: Collection[str | Path], options: Mapping[str, Any]) -> None:
    """Raise as `LinkerConfig.of` for what can be refused before anything is read."""
    several = next((path for path in terminologies if not isinstance(path, str | PathLike)), None)
    if several is not None:
        raise RequestError(
            f"A terminology is the path of a folder; got {several!r}. Several are separate arguments: linnet.load('mesh/', 'doid/')"
        )
    known = (*_RESTRICTIONS, "threads", "learned", "overrides", "pipeline", *_PIPELINE)
    for name, value in options.items():
        if name in _ELSEWHERE:
            raise RequestError(
                f"load() has no option '{name}'. {_ELSEWHERE[name].replace('{}', repr(value))}"
            )
        if name not in known:
            raise UnknownNameError("option", name, known)
        if isinstance(value, str) and name in (*_RESTRICTIONS, "retrievers"):
            items = [item.strip() for item in value.split(",")]
            raise RequestError(f"'{name}' must be a list; got '{value}'. Write: {items}")
    if not terminologies or not all(str(path) for path in terminologies):
        raise RequestError(
            "No terminology to link against. Name the folder of an indexed terminology, or 'starter'."
        )
    checked_threads(options.get("threads"))


def _check_encoder(pipeline: Pipeline, terminology: str) -> None:
    """Raise RequestError for an encoder that no index of the pipeline can be built with, though one has vectors."""
    kinds = [name for name in pipeline.retrievers if has_vectors(name)]
    if kinds and not any(suitable_encoder(name, pipeline.encoder) for name in kinds):
        raise RequestError(
            f"The encoder '{pipeline.encoder}' is not one for the index {' or '.join(kinds)}: an index of entities needs two towers, "
            f"and a dense one an encoder of names.",
            Step.BUILD_INDEX(terminology=terminology, encoder=pipeline.encoder),
        )


def _path(terminology: str | Path) -> str:
    """A `Path` is that of a folder, also where it reads "starter"."""
    path = str(terminology)
    return f"./{path}" if path == STARTER and isinstance(terminology, Path) else path


def _starter() -> Path:
    from linnet.link.starter import starter_terminology

    return starter_terminology()


def _prepare_starter(terminology: Terminology, pipeline: Pipeline) -> None:
    """Build what the pipeline's reranker searches, which takes seconds: the starter is there to try things out."""
    from linnet.link.indexing import build_second_index

    build_second_index(terminology, second_index(pipeline.reranker), update=True)
