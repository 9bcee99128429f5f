"""The plan of a simulation, the same for all strategies and seeds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from linnet.active.learners import choose_learners
from linnet.active.model import pipeline_of
from linnet.active.simulation.studies import Study
from linnet.advice import Step
from linnet.errors import DamagedError, DataError, MismatchError, RequestError
from linnet.io.files import open_output, read_text
from linnet.link.pipeline import Pipeline
from linnet.rerank import open_reranker
from linnet.terminology import Terminology

__all__ = ["PLAN", "Plan", "keep_plan"]

PLAN = "plan.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is annotated at a time, and which learners learn from it.

    shares    of the pool's mentions that are annotated after each batch, rising, at most 1; documents are taken whole, so
              that a batch may be a document's mentions larger. The first batch is drawn at random and the same for all
              strategies of a seed; all documents are annotated after the last one if that is 1
    learners  names from `linnet.active.learners`; those a project uses where none is named
    lean      where the recogniser learns, it is a small one that trains fast. See `linnet.active.simulation.teacher`
    reranker  name or directory of a reranker, "none" for no reranker; None for the one that a project has
    memory    the reranker may use what its training mentions meant, as it does in a project. False by default: the shipped
              reranker learnt from the training sets of NCBI and BC5CDR, so that it would know the answers before they
              are annotated

    Raises RequestError for shares that do not rise and for the memory of no reranker, UnknownNameError for a learner, StoreError
    and its kin for a reranker that cannot be opened.
    """

    shares: tuple[float, ...] = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
    learners: tuple[str, ...] = ()
    lean: bool = False
    reranker: str | None = None
    memory: bool = False

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in pairwise(self.shares))
        if len(self.shares) < 2 or not rising or self.shares[0] <= 0 or self.shares[-1] > 1:
            raise RequestError(
                f"Got shares {', '.join(f'{share:g}' for share in self.shares) or 'none'}; expected two or more, rising, above 0 "
                "and at most 1.",
                Step.CHOOSE_SHARES(),
            )
        if self.reranker == "none" and self.memory:
            raise RequestError("Memory is for a reranker, and the reranker is none. Leave one of them out.")
        if self.reranker is not None and self.reranker != "none":
            open_reranker(self.reranker, threads=1)
        object.__setattr__(self, "learners", tuple(choose_learners(self.learners)))

    def pipeline(self, terminology: Terminology) -> Pipeline:
        """The pipeline of a project with this terminology, with the plan's reranker and memory."""
        pipeline = replace(pipeline_of(terminology), memory=self.memory)
        if self.reranker is None:
            return pipeline
        return replace(pipeline, reranker=None if self.reranker == "none" else self.reranker)


def keep_plan(folder: Path, plan: Plan, study: Study, versions: Mapping[str, str]) -> None:
    """Write the plan into the folder of the results, or check that it is the same as before.

    versions  of the models that the results depend on

    Raises MismatchError with the differences, DamagedError if the file cannot be read.
    """
    path = folder / PLAN
    settings = {**asdict(plan), **asdict(plan.pipeline(study.terminology))}
    now = _plain({"study": study.name, "data": study.fingerprint, **settings, **versions})
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with open_output(path) as stream:
            stream.write(json.dumps(now, indent=1) + "\n")
        return
    try:
        before = dict(json.loads(read_text(path)))
    except (DataError, ValueError, TypeError) as error:
        raise DamagedError(f"{path} is damaged: {error!r}.", Step.OTHER_FOLDER()) from None
    changed = [
        f"  {name}: {before.get(name, 'not set')} → {now.get(name, 'not set')}"
        for name in sorted(before.keys() | now.keys())
        if before.get(name) != now.get(name)
    ]
    if changed:
        raise MismatchError(
            "\n".join([f"The results in {folder} were made with other settings or data:", *changed])
            + "\nUse those again.",
            Step.OTHER_FOLDER(),
        )


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in fields.items()
    }
