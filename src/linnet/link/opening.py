"""How a linker is opened, as data: a process that is to link the same opens the same linker from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from linnet.errors import RequestError
from linnet.link.learned import check_learned, learned_linker
from linnet.link.linker import Linker
from linnet.link.pipeline import Pipeline
from linnet.terminology import Terminology

__all__ = ["Opening"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The arguments of `Linker.open`; can be pickled.

    terminologies  paths, in order of precedence
    changes        fields of the pipeline that are to differ from the one the first terminology asks for
    types … deny   restrict the concepts, see `Terminology.select`
    threads        for retrieval, None for all cores
    learned        folder of what a project of `linnet annotate` has learnt with the terminology, see `linnet.link.learned`
    """

    terminologies: tuple[str, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)
    types: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    threads: int | None = None
    learned: str | None = None

    def open(self) -> Linker:
        """The linker.

        Raises what `Linker.open` and `check_learned` raise, and RequestError for a least probability where there are no
        probabilities, or for several terminologies beside what was learnt with one.
        """
        opened = [Terminology.open(path) for path in self.terminologies]
        pipeline = Pipeline.from_manifest(opened[0].pipeline) if opened else Pipeline()
        pipeline = replace(pipeline, **self.changes)
        options: dict[str, Any] = {
            "pipeline": pipeline,
            "types": self.types,
            "sources": self.sources,
            "allow": self.allow,
            "deny": self.deny,
            "threads": self.threads,
        }
        if self.learned is None:
            linker = Linker.open(opened, **options)
        elif len(opened) == 1:
            check_learned(Path(self.learned), opened[0])
            linker = learned_linker(opened[0], Path(self.learned), **options)
        else:
            raise RequestError(
                f"--learned goes with one terminology, its project's; got {len(opened)}. Name that one alone."
            )
        if "min_probability" in self.changes and not linker.reranking.calibrator.curves:
            raise RequestError(
                f"--min-probability needs a calibrator, and reranker '{pipeline.reranker or 'none'}' has none: "
                "probabilities are null. Leave it out, or name a calibrated reranker, e.g. --reranker context."
            )
        return linker
