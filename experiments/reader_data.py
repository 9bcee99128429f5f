"""Corpora for `reader.toml`: the strings of `benchmarks/generalisation` to tune on, and documents of MedMentions beside those measured.

    LINNET_DATA=… python experiments/reader_data.py experiments/data/reader       (after experiments/other_corpora.py)

Writes an annotated corpus NAME.jsonl for each, and the terminology that linnet starts with. A string to tune on is a document of
its own, without a concept if it names nothing.
"""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import replace
from pathlib import Path

from harness import parser_of

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
from benchmarks.generalisation.cross_references import concepts_by_reference  # noqa: E402
from benchmarks.generalisation.dev_set import mention_document  # noqa: E402
from benchmarks.generalisation.sets import sets  # noqa: E402
from benchmarks.generalisation.strings import Strings, hospital, mixed, registry  # noqa: E402
from linnet import corpora, samples  # noqa: E402
from linnet.io.files import read_lines  # noqa: E402
from linnet.link.indexing import index_terminology  # noqa: E402
from linnet.terminology import Terminology, write_terminology  # noqa: E402
from linnet.types import Document  # noqa: E402

_DOCUMENTS, _SEED = 700, 1  # of MedMentions, drawn by seed


def main() -> None:
    """Write all of them."""
    parser = parser_of(__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--other", type=Path, default=ROOT / "experiments/data/other")
    given = parser.parse_args()
    if "LINNET_DATA" not in os.environ:
        parser.error("LINNET_DATA is not set; expected the folder of the real data. Set it: LINNET_DATA=DIR")
    data = Path(os.environ["LINNET_DATA"])
    given.out.mkdir(parents=True, exist_ok=True)
    made = {
        strings.name: documents_of(strings) for strings in (hospital(), mixed(), registry(data, part="tune"))
    }
    made["medmentions"] = unmeasured(data, given.other)
    index_terminology(write_terminology(samples.concepts(), given.out / "starter", sources=[]))
    for name, documents in made.items():
        corpora.write(documents, given.out / f"{name}.jsonl", format="jsonl")
        print(f"{name}: {len(documents):,}")


def documents_of(strings: Strings) -> list[Document]:
    """Each string as a document of one mention."""
    return [
        mention_document(string.text, string.concepts, id=f"{strings.name}-{string.number}")
        for string in strings.strings
    ]


def unmeasured(data: Path, other: Path) -> list[Document]:
    """Mentions of documents of MedMentions that the set of `benchmarks/generalisation` does not draw, as that set has them."""
    concepts = concepts_by_reference(
        data / "terminologies", Terminology.open(other / "diseases-and-phenotypes"), prefix="UMLS"
    )
    measured = {
        document.id for document in sets["medmentions"](data, ROOT / "bench-out/generalisation").documents
    }
    lines = read_lines(data / "corpora/medmentions-st21pv/train.jsonl.gz")
    rows = [row for _, line in lines if (row := json.loads(line))["concept"] in concepts]
    rest = sorted({row["document"] for row in rows} - measured)
    random.Random(_SEED).shuffle(rest)
    drawn = set(rest[:_DOCUMENTS])
    documents = (
        mention_document(
            row["text"],
            [concepts[row["concept"]]],
            id=row["document"],
            left=row.get("left", ""),
            right=row.get("right", ""),
        )
        for row in rows
        if row["document"] in drawn
    )
    return [replace(document, id=f"{document.id}-{number}") for number, document in enumerate(documents)]


if __name__ == "__main__":
    main()
