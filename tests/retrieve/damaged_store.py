"""Opens and searches a store that it damages, again and again; run by `test_damage.py` in a process of its own.

    python damaged_store.py STORE COPY

Reads lines "mode file kind seed" on standard input, damages that file of the copy, opens and searches what it is part of,
repairs it, and answers with one line: "same", "different", or the classes of what was raised, then its message.
"""

from __future__ import annotations

import shutil
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path
from random import Random

import numpy as np

from linnet.io import artifact
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.retrieve import open_retriever
from linnet.retrieve.index import HasVectors
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.terminology.search import SearchIndex

TEXTS = (
    "heart attack",
    "type II diabetes",
    "metformin 500 mg",
    "copd",
    "fever of unknwn origin",
    "β-blocker",
    "",
)
# Bytes at either end of large files that are always compared; the store must have been written so.
END = 256


def damage(file: Path, kind: str, seed: int) -> None:
    """Flip a bit, overwrite some bytes, cut the end off, or add to it."""
    rng = Random(f"{file.name} {kind} {seed}")
    content = bytearray(file.read_bytes())
    place = rng.randrange(len(content))
    if kind == "flip":
        content[place] ^= 1 << rng.randrange(8)
    elif kind == "overwrite":
        more = rng.choice((b"\xff" * 8, b"\x00" * 8, b"\x7f" * 16, rng.randbytes(8)))
        content[place : place + len(more)] = more[: len(content) - place]
    elif kind == "cut":
        del content[place:]
    elif kind == "extend":
        content += rng.randbytes(9)
    file.write_bytes(content)


def answers(store: Path, part: str, *, verify: bool = False) -> str:
    """Digest of what is read from the store, or of what one of its indexes answers."""
    terminology = Terminology.open(store, verify=verify)
    if part == "store":
        said = repr((list(terminology), terminology.manifest, terminology.resolve("MESH:D003924")))
    elif part == "spelling":
        said = repr(Spelling.open(terminology).near("diabtes"))
    elif part == "search":
        said = repr(SearchIndex.open(terminology, build=False).search("diabetes typ"))
    elif part == "parts":
        said = repr(NameFeatureIndex.open(terminology).take(range(40)))  # type: ignore[arg-type]
    else:
        index = open_retriever(terminology, part, threads=1)
        found = [
            index.search(TEXTS, k=5),
            index.search(TEXTS[:2], k=5, allowed=np.arange(len(terminology)) % 2 > 0),
        ]
        said = repr([(hits.concepts.tolist(), hits.names.tolist(), hits.scores.tolist()) for hits in found])
        if isinstance(index, HasVectors):
            said += repr(index.name_vectors(np.arange(40)).tolist())
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def part_of(name: str) -> str:
    """What a file is part of: an index, or the store."""
    places = Path(name).parts
    return places[1] if places[0] == "index" else "store"


def main() -> None:
    store, copy = Path(sys.argv[1]), Path(sys.argv[2])
    right = cache(lambda part: answers(store, part))
    budget, artifact._END = artifact._CHECKED_ON_OPEN, END
    for line in sys.stdin:
        mode, name, kind, seed = line.split()
        artifact._CHECKED_ON_OPEN = 0 if mode == "large" else budget
        part = part_of(name)
        expected = right(part)
        damage(copy / name, kind, int(seed))
        try:
            outcome = "same" if answers(copy, part) == expected else "different"
        except Exception as error:
            classes = ",".join(one.__name__ for one in type(error).__mro__)
            outcome = f"{classes} {error}".replace("\n", " ")
        shutil.copy2(store / name, copy / name)
        sys.stdout.write(outcome + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
