"""Everything an evaluation says, as values; how it looks is for `markdown.py` and `html.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from linnet.errors import DataError
from linnet.evaluate.calibration import Bin
from linnet.evaluate.compare import Comparison
from linnet.evaluate.leaks import LeakAudit
from linnet.evaluate.mistakes import Mistakes
from linnet.evaluate.protocols import Result
from linnet.evaluate.score import Score
from linnet.files import open_output

__all__ = ["Calibration", "Group", "Report", "as_json", "write_report"]


@dataclass(frozen=True, slots=True)
class Group:
    """Accuracy of some of the mentions: those seen in training, those of a type.

    Both count every mention with a gold concept: `lenient` drops none here for being outside the terminology.
    """

    label: str
    strict: Score
    lenient: Score


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far the link probabilities can be trusted.

    coverage  (precision asked for, share of mentions that can be answered, threshold or None)
    """

    error: Score
    bins: tuple[Bin, ...]
    coverage: tuple[tuple[float, float, float | None], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """An evaluation of one system, and of a second where one is compared.

    results      per protocol, in the order asked for; `others` are the second system's
    curve        recall@k for rising k, over all gold concepts
    frequencies  (mentions per concept, number of concepts)
    groups       seen and unseen in training; empty without training data
    types        per mention type, where there is more than one
    provenance   what is needed to do it again: command, versions, digests
    """

    system: str
    corpus: Mapping[str, Any]
    leaks: LeakAudit
    results: tuple[Result, ...]
    curve: tuple[tuple[int, Score], ...]
    frequencies: tuple[tuple[str, int], ...]
    groups: tuple[Group, ...]
    types: tuple[Group, ...]
    mistakes: Mistakes
    calibration: Calibration | None = None
    comparison: Comparison | None = None
    others: tuple[Result, ...] = ()
    other_curve: tuple[tuple[int, Score], ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """System and corpus in one line."""
        return f"{self.system} on {self.corpus['name']}"


def as_json(value: Any) -> Any:
    """Dataclasses as objects, sets as sorted lists; which mentions were right stays out (see `Result.right`)."""
    if is_dataclass(value) and not isinstance(value, type):
        skipped = {"places", "right"} if isinstance(value, Result) else set()
        return {f.name: as_json(getattr(value, f.name)) for f in fields(value) if f.name not in skipped}
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(as_json(item) for item in value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [as_json(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return value


def write_report(report: Report, directory: str | Path) -> list[Path]:
    """Write `report.md`, `report.json` and `report.html` into a folder, made where it is missing; their paths.

    Raises DataError where the folder cannot be made or written.
    """
    from linnet.evaluate.html import render_html
    from linnet.evaluate.markdown import render_markdown

    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot be made a folder: {error.strerror}. Choose another place.", path=folder
        ) from None
    texts = {
        "report.md": render_markdown(report),
        "report.json": json.dumps(as_json(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        "report.html": render_html(report),
    }
    for file, text in texts.items():
        with open_output(folder / file) as stream:
            stream.write(text)
    return [folder / file for file in texts]
