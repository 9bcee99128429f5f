"""The configuration of a linker, as data, so that other processes can open the same linker."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from linnet.errors import RequestError, UnknownNameError
from linnet.link.learned import check_learned, learned_linker
from linnet.link.linker import Linker, Restrictions
from linnet.link.pipeline import Pipeline
from linnet.terminology import Terminology

__all__ = ["STARTER", "LinkerConfig", "LinkerOptions"]

STARTER = "starter"
"""Instead of a path: the small packaged terminology. A folder of that name is "./starter"."""


class LinkerOptions(Restrictions, total=False):
    """The keyword arguments of `linnet.load`: restrictions of the concepts, fields of `Pipeline`, learned, threads."""

    retrievers: Sequence[str]
    encoder: str | None
    glossary: bool
    recogniser: str
    abbreviations: bool
    spelling: bool
    composites: bool
    reranker: str | None
    memory: bool
    depth: int
    margin: float
    calibrator: str | None
    min_probability: float
    min_score: float
    learned: str | Path | None
    threads: int | None


_RESTRICTIONS = tuple(Restrictions.__annotations__)
_PIPELINE = tuple(field.name for field in fields(Pipeline))


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkerConfig:
    """The arguments of `linnet.load`, picklable.

    terminologies  paths, in order of precedence; "starter" is the packaged one
    changes        fields that differ from the pipeline of the first terminology
    concept_types … deny  restrict the concepts, see `Terminology.select`
    threads        for retrieval; None: all cores
    learned        folder of a version of what a project of `linnet annotate` has learnt, see `linnet.link.learned`
    """

    terminologies: tuple[str, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)
    concept_types: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    threads: int | None = None
    learned: str | None = None

    @classmethod
    def of(cls, terminologies: Collection[str | Path], options: Mapping[str, Any]) -> Self:
        """From the arguments of `linnet.load`.

        Raises RequestError without a terminology, and for a string in place of a list; UnknownNameError for an unknown
        option.
        """
        if not terminologies or not all(str(path) for path in terminologies):
            raise RequestError(
                "No terminology to link against. Name the folder of an indexed terminology, or 'starter'."
            )
        known = (*_RESTRICTIONS, "threads", "learned", *_PIPELINE)
        for name, value in options.items():
            if name not in known:
                raise UnknownNameError("option", name, known)
            if isinstance(value, str) and name in (*_RESTRICTIONS, "retrievers"):
                raise RequestError(f"'{name}' must be a list; got '{value}'. Write: ['{value}']")
        given: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list | set | frozenset) else v for name, v in options.items()
        }
        changes = {name: given.pop(name) for name in _PIPELINE if name in given}
        learned = given.pop("learned", None)
        return cls(
            terminologies=tuple(map(str, terminologies)),
            changes=changes,
            learned=None if learned is None else str(learned),
            **{name: value for name, value in given.items() if value is not None},
        )

    def open(self) -> Linker:
        """The linker.

        Raises as `Linker.open` and `check_learned`; RequestError for `min_probability` without a calibrator, and for several
        terminologies with `learned`.
        """
        opened = [Terminology.open(_starter() if path == STARTER else path) for path in self.terminologies]
        pipeline = replace(Pipeline.from_manifest(opened[0].pipeline), **self.changes)
        options: dict[str, Any] = {name: getattr(self, name) for name in (*_RESTRICTIONS, "threads")}
        if self.learned is None:
            linker = Linker.open(opened, pipeline=pipeline, **options)
        elif len(opened) == 1:
            check_learned(Path(self.learned), opened[0])
            linker = learned_linker(opened[0], Path(self.learned), pipeline=pipeline, **options)
        else:
            raise RequestError(
                f"A learned version belongs to the terminology of its project; got {len(opened)} terminologies. Name only that one."
            )
        if "min_probability" in self.changes and not linker.reranking.calibrator.curves:
            raise RequestError(
                f"--min-probability needs a calibrator, but the reranker '{pipeline.reranker or 'none'}' has none, so "
                "probabilities are null. Leave it out, or name a calibrated reranker: --reranker context"
            )
        return linker


def _starter() -> Path:
    from linnet.link.starter import starter_terminology

    return starter_terminology()
