"""The plan of a simulation, the same for all strategies and seeds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from linnet.annotate.learning.learners import choose_learners
from linnet.annotate.simulate.studies import Study
from linnet.errors import DamagedError, DataError, MismatchError, RequestError
from linnet.files import open_output, read_text

__all__ = ["PLAN", "Plan", "keep_plan"]

PLAN = "plan.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is annotated at a time, and which learners learn from it.

    shares    of the pool's mentions annotated after each batch, rising, at most 1. Documents are taken whole, so a batch may
              exceed its share by a document. The first batch is random and the same for all strategies of a seed; with a
              last share of 1, all documents are annotated
    learners  names from `linnet.annotate.learning.learners`; () for the default ones
    lean      train a small, fast recogniser; see `linnet.annotate.simulate.teacher`

    Raises RequestError for invalid shares, UnknownNameError for a learner.
    """

    shares: tuple[float, ...] = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
    learners: tuple[str, ...] = ()
    lean: bool = False

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in pairwise(self.shares))
        if len(self.shares) < 2 or not rising or self.shares[0] <= 0 or self.shares[-1] > 1:
            raise RequestError(
                f"Got shares {', '.join(f'{share:g}' for share in self.shares) or 'none'}; expected two or more, rising, above 0 "
                "and at most 1. For example: --shares 0.1 0.2 0.4 0.6 0.8 1"
            )
        object.__setattr__(self, "learners", tuple(choose_learners(self.learners)))


def keep_plan(folder: Path, plan: Plan, study: Study, versions: Mapping[str, str]) -> None:
    """Write the plan into the folder of the results, or check that it is the same as before.

    versions  of everything else that the results depend on

    Raises MismatchError with the differences, DamagedError if the file cannot be read.
    """
    path = folder / PLAN
    now = _plain({"study": study.name, "data": study.fingerprint, **asdict(plan), **versions})
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with open_output(path) as stream:
            stream.write(json.dumps(now, indent=1) + "\n")
        return
    try:
        before = dict(json.loads(read_text(path)))
    except (DataError, ValueError, TypeError) as error:
        raise DamagedError(f"{path} is damaged: {error!r}. Choose another folder with --output.") from None
    changed = [
        f"  {name}: {before.get(name, 'not set')} → {now.get(name, 'not set')}"
        for name in sorted(before.keys() | now.keys())
        if before.get(name) != now.get(name)
    ]
    if changed:
        raise MismatchError(
            "\n".join([f"The results in {folder} were made with other settings or data:", *changed])
            + "\nUse those again, or choose another folder with --output."
        )


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in fields.items()
    }
