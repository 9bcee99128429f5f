"""The curve for sets of concepts, fitted to links of composed strings, and put into a model that exists."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from linnet.encode.model import CARD, MANIFEST, open_model, write_model
from linnet.link import Linker
from linnet.rerank.calibrator import FILE, Calibrator, Curve, fit_curve
from linnet.train.composed_strings import ComposedString

__all__ = ["JudgedSet", "fit_set_curve", "judge_sets", "with_set_curve"]

# Of composed strings every second names several things, of those of a registry or a hospital table one in eight.
_SINGLES = 4

JudgedSet = tuple[float, bool]
"""The probability of a set without a curve, and whether it is right."""


def judge_sets(linker: Linker, strings: Sequence[ComposedString]) -> list[JudgedSet]:
    """The strings that were divided; those that mean one thing count four times.

    linker  of a calibrator without a curve for sets
    """
    judged: list[JudgedSet] = []
    for link, string in zip(linker.link([string.text for string in strings], k=1), strings, strict=True):
        if link.parts and link.probability is not None:
            verdict = (link.probability, tuple(sorted(link.concepts)) == string.concepts)
            judged += [verdict] * (1 if len(string.concepts) > 1 else _SINGLES)
    return judged


def fit_set_curve(judged: Sequence[JudgedSet]) -> Curve:
    """Raises RequestError without a set."""
    return fit_curve([probability for probability, _ in judged], [right for _, right in judged])


def with_set_curve(folder: Path, curve: Curve | None) -> None:
    """Write the curve into a model's `calibrator.json`, and its manifest anew; None takes it out.

    Raises as `open_model` and `Calibrator.open`.
    """
    model = open_model(folder)
    curves = dict(Calibrator.open(folder).curves)
    curves.pop("set", None)
    if curve is not None:
        curves["set"] = curve

    def fill(draft: Path) -> None:
        for file in folder.iterdir():
            if file.is_dir():
                shutil.copytree(file, draft / file.name)
            elif file.name not in (CARD, MANIFEST):
                shutil.copyfile(file, draft / file.name)
        Calibrator(curves).save(draft / FILE)

    card = (folder / CARD).read_text(encoding="utf-8") if (folder / CARD).is_file() else ""
    write_model(folder, model, fill=fill, card=card)
