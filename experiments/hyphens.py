"""Which first parts keep their hyphen at the end of a line: "non-" and "beta-" of compounds do, "pneu-" of a broken word does not.

    python experiments/hyphens.py        (LINNET_DATA says where the texts are)

Counts, in trial reports, abstracts and dictated notes, the words that are written with a hyphen behind a part and those that only
begin with it. Writes src/linnet/read/lexicon/hyphens.tsv: parts that more often have a hyphen than are the beginning of a word that
could be broken there.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dictated_notes import TEXTS as NOTES
from dictated_notes import learnable
from harness import DATA

PAPERS = ("text/evidence_inference.jsonl.gz", "text/pubmedqa.jsonl.gz")
OUT = Path(__file__).parents[1] / "src/linnet/read/lexicon/hyphens.tsv"
HEAD = "# First parts that keep their hyphen at the end of a line, learnt from texts by `experiments/hyphens.py`."
LEAST = 40  # compounds that a part must begin: rarer ones are seldom broken there
BROKEN = 0.25  # share of the words that begin with a part which a writer would break behind it
_COMPOUND = re.compile(r"(?<![\w-])([a-z]{2,12})-[a-z]{2,}")
_WORD = re.compile(r"(?<![\w-])[a-z]{4,}(?![\w-])")


def main() -> None:
    """Count, and write the parts."""
    compounds, words = Counter[str](), Counter[str]()
    for text in _texts():
        compounds.update(match[1] for match in _COMPOUND.finditer(text))
        words.update(_WORD.findall(text))
    begun = Counter[str]()
    for word, count in words.items():
        for end in range(2, min(13, len(word) - 1)):
            begun[word[:end]] += count
    kept = sorted(
        part for part, count in compounds.items() if count >= LEAST and count > BROKEN * begun[part]
    )
    OUT.write_text("\n".join([HEAD, "part", *kept]) + "\n", encoding="utf-8")
    print(len(kept), "parts")


def _texts() -> Iterator[str]:
    """In small letters."""
    for place in PAPERS:
        with gzip.open(DATA / place, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["text"].lower() for line in lines)
    yield from (record["text"].lower() for record in learnable(NOTES, data=DATA))


if __name__ == "__main__":
    main()
