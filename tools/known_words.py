"""Write `src/linnet/retrieve/known_words.bin`: the words that spelling correction leaves alone.

    LINNET_DATA=… python tools/known_words.py

Sources: words in three or more of the open-access trial reports of Evidence Inference (`text/evidence_inference.jsonl.gz`), in
lower case there; the words of the FDA's UNII list of substances and of MeSH 2024. Words have 5 to 30 letters a to z. The
abstracts of PubMedQA, ChEBI and the names of genes are left out: `benchmarks/respelling.py` measures on them.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from linnet.retrieve.known_words import FILE, write_known_words
from linnet.terminology.readers import read
from linnet.words.text import simplify

_DOCUMENTS = 3  # a word in fewer may be a typing error
_LOWER_CASE = re.compile(r"(?<![^\W_])[a-z]{5,30}(?![^\W_])")
_WORD = re.compile(r"[a-z]{5,30}")


def main() -> int:
    data = Path(os.environ.get("LINNET_DATA", ""))
    if not (data / "text").is_dir():
        sys.exit("Set LINNET_DATA to the folder with text/ and terminologies/.")
    words = set(of_text(data / "text/evidence_inference.jsonl.gz"))
    for source in (
        "other/unii_names.tsv.gz",
        "mesh2024/desc2024.rebuilt.xml.gz",
        "mesh2024/supp2024.rebuilt.xml.gz",
    ):
        words.update(of_names(data / "terminologies" / source))
    count = write_known_words(words, FILE)
    sys.stdout.write(f"{FILE}: {count:,} words, {FILE.stat().st_size:,} bytes\n")
    return 0


def of_text(path: Path) -> Iterator[str]:
    """The words of several documents."""
    counts: Counter[str] = Counter()
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            text = json.loads(line)["text"]
            counts.update({simplify(word) for word in set(_LOWER_CASE.findall(text))})
    return (word for word, count in counts.items() if count >= _DOCUMENTS)


def of_names(path: Path) -> Iterator[str]:
    """The words of a terminology's names."""
    for concept in read(path):
        for name in (concept.name, *concept.names):
            yield from (word for word in simplify(name).split() if _WORD.fullmatch(word))


if __name__ == "__main__":
    sys.exit(main())
