"""Precision and recall of what `linnet.read.assertion` says of mentions, and its false alarms where all is affirmed.

    python benchmarks/assertion/score.py [--errors ATTRIBUTE]      (with LINNET_DATA, the HPO notes, too)

`sentences.jsonl` has 300 passages (discharge letters, radiology, general practice, nursing, abstracts, trial criteria, leaflets, case
reports), invented by somebody who had not seen the rules. Those of odd place count; `fit.py` learns from the others. In the HPO notes
every mention is annotated as a phenotype, relatives' included, so what is rightly said to be of another person or past counts as an
alarm there.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from linnet import corpora
from linnet.corpora import Notes
from linnet.read.assertion import ATTRIBUTES, assertions
from linnet.types import Document, Mention

SENTENCES = Path(__file__).with_name("sentences.jsonl")
NOTES = ("id-68.jsonl", "genereviews.jsonl")
Marked = tuple[Document, list[set[str]]]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--errors", metavar="ATTRIBUTE", help="print what is wrong about an attribute")
    options = parser.parse_args()
    marked = [passage for place, passage in enumerate(read()) if place % 2]
    print_scores(marked, options.errors)
    if data := os.environ.get("LINNET_DATA"):
        print_alarms(Path(data) / "corpora/hpo-notes")


def read() -> Iterator[Marked]:
    """Passages with the attributes of their mentions."""
    for line in SENTENCES.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        bare = Document(record["id"], record["text"])
        mentions = [Mention(bare, m["start"], m["end"], m["text"]) for m in record["mentions"]]
        gold = [{_name(one) for one in m["attributes"]} for m in record["mentions"]]
        yield bare.with_mentions(mentions), gold


def _name(attribute: str) -> str:
    return attribute.replace("_", " ").replace("-", " ")


def print_scores(marked: list[Marked], errors: str | None) -> None:
    """Precision, recall and F1 of each attribute, and how many mentions are entirely right."""
    counts = {attribute: Counter[str]() for attribute in ATTRIBUTES}
    exact = total = 0
    started = time.perf_counter()
    for document, gold in marked:
        for mention, wanted, got in zip(document.mentions, gold, map(set, assertions(document)), strict=True):
            total, exact = total + 1, exact + (wanted == got)
            for attribute in ATTRIBUTES:
                kind = _KINDS[attribute in got, attribute in wanted]
                counts[attribute][kind] += 1
                if attribute == errors and kind in ("false", "missed"):
                    text = document.text
                    print(f"{kind}: {text[: mention.start]}[{mention.text}]{text[mention.end :]}\n")
    seconds = time.perf_counter() - started
    print("| attribute | mentions | precision | recall | F1 |\n|---|---:|---:|---:|---:|")
    for attribute, n in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        right, wrong, missed = n["right"], n["false"], n["missed"]
        shares = right / max(right + wrong, 1), right / max(right + missed, 1)
        f1 = 2 * right / max(2 * right + wrong + missed, 1)
        print(
            f"| {attribute} | {right + missed} | "
            + " | ".join(f"{100 * x:.1f}" for x in (*shares, f1))
            + " |"
        )
    print(
        f"\n{exact} of {total} mentions have exactly their attributes ({100 * exact / total:.1f} %); {seconds:.2f} s"
    )


_KINDS = {(True, True): "right", (True, False): "false", (False, True): "missed", (False, False): ""}


def print_alarms(folder: Path) -> None:
    """Share of the mentions of the notes that have an attribute."""
    counts: Counter[str] = Counter()
    total = 0
    for name in NOTES:
        for document in corpora.read(folder / name, note=Notes().add):
            for attributes in assertions(document):
                total += 1
                counts.update(attributes)
                counts["any"] += bool(attributes)
                counts["negated, uncertain or hypothetical"] += bool(
                    {"negated", "uncertain", "hypothetical"} & set(attributes)
                )
    print(
        f"\nHPO notes, {total:,} mentions: "
        + ", ".join(f"{k} {100 * n / total:.1f} %" for k, n in counts.items())
    )


if __name__ == "__main__":
    main()
