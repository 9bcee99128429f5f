"""Writes the weights of the models that are small enough for one table of the package, `lexicon/link_weights.tsv`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).parents[1] / "src/linnet/read/lexicon/link_weights.tsv"


def write_link_weights(model: str, weights: Mapping[str, float]) -> None:
    """Put weights by feature in the place of those that a model had; the other models stay."""
    head, *rows = FILE.read_text(encoding="utf-8").splitlines()
    others = [row for row in rows if not row.startswith(f"{model}\t")]
    own = [f"{model}\t{feature}\t{weight:g}" for feature, weight in weights.items()]
    FILE.write_text(
        "\n".join([head, *sorted([*others, *own], key=lambda row: row.partition("\t")[0])]) + "\n",
        encoding="utf-8",
    )
