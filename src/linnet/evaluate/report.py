"""The content of an evaluation report as values; `markdown.py` and `html.py` render it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from contextlib import ExitStack
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
from linnet.io.filenames import writable
from linnet.io.files import replacing

__all__ = ["Calibration", "Group", "Report", "as_json", "check_place", "write_report"]


@dataclass(frozen=True, slots=True)
class Group:
    """Accuracy on a group of mentions, such as those seen in training or of one type.

    Every mention with a gold concept counts; `lenient` drops none here for being outside the terminology.
    """

    label: str
    strict: Score
    lenient: Score


@dataclass(frozen=True, slots=True)
class Calibration:
    """How reliable the link probabilities are.

    coverage  (required precision, share of mentions that can be answered, threshold or None)
    """

    error: Score
    bins: tuple[Bin, ...]
    coverage: tuple[tuple[float, float, float | None], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """An evaluation of one system, optionally compared with a second.

    results      per protocol, in the order requested; `others` are the second system's
    curve        recall@k for rising k, over all gold concepts
    frequencies  (mentions per concept, number of concepts)
    groups       seen and unseen in training; empty without training data
    types        per mention type, if there is more than one
    provenance   what reproduces the report: command, versions, digests
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

    @property
    def pipelines(self) -> str:
        """In what the pipelines of two linkers that are compared differ; "" for files of predictions."""
        pipelines = list(self.provenance.get("pipelines", {}).values())
        if len(pipelines) < 2:
            return ""
        first, second = pipelines
        differ = [f"{name} ({own} / {second[name]})" for name, own in first.items() if own != second[name]]
        return f"Their pipelines differ in {', '.join(differ)}." if differ else "Both have the same pipeline."


def as_json(value: Any) -> Any:
    """Dataclasses as objects, sets as sorted lists; `places` and `right` of a `Result` are omitted."""
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
    """Write `report.md`, `report.json` and `report.html` into a folder, creating it if needed; their paths.

    An older report there is replaced, all three files or none. Raises DataError as `check_place` does, and if the
    folder cannot be created or written.
    """
    from linnet.evaluate.html import render_html
    from linnet.evaluate.markdown import render_markdown

    folder = Path(directory)
    check_place(folder)
    texts = {
        "report.md": render_markdown(report),
        "report.json": json.dumps(as_json(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        "report.html": render_html(report),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot create this folder: {error.strerror}. Choose another place.", path=folder
        ) from None
    with ExitStack() as drafts:
        for file, text in texts.items():
            drafts.enter_context(replacing(folder / file)).write_text(
                writable(text), encoding="utf-8", newline="\n"
            )
    return [folder / file for file in texts]


def check_place(directory: str | Path) -> None:
    """Raise DataError for a file, and for a non-empty folder without a report."""
    folder = Path(directory)
    if folder.exists() and not folder.is_dir():
        raise DataError("is a file; expected a folder. Choose another place.", path=folder)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "report.json").exists():
        raise DataError("is not empty and holds no report. Choose a new or empty folder.", path=folder)
