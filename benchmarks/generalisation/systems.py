"""The systems that are compared, and their answers to a dev set.

linnet          the default pipeline; where the reranker has learnt from a dev set, one that was trained without it
accurate        the pipeline of that name, likewise
encoder alone   the same without the reranker: exact look-up, then the encoder's cosine; abbreviations, spelling, the
                glossary and the splitting of composites stay
TF-IDF          scikit-learn, character 2- to 5-grams, the nearest name by cosine
rapidfuzz       the most similar name by `fuzz.ratio`

The other programs get the mention with the abbreviations spelt out that its document defines, as in `bench.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import bench

import linnet
from benchmarks.generalisation.answers import Answer, answers_of, read_answers, write_answers
from benchmarks.generalisation.dev_set import DevSet
from benchmarks.generalisation.left_out import LEFT_OUT, accurate_without, reranker_without
from linnet.evaluate.gold import predicted_of
from linnet.evaluate.system import blank
from linnet.io import artifact
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_second_index
from linnet.link.second_index import second_index
from linnet.read.abbreviations import expanded_texts
from linnet.types import Mention

__all__ = ["ACCURATE", "DEFAULT", "ENCODER", "PEERS", "System", "answers", "linking_code", "systems"]

K = 64
DEFAULT, ENCODER, ACCURATE = "linnet", "encoder alone", "accurate"
# As `peers.py` calls them.
PEERS = {"TF-IDF": "scikit-learn TF-IDF char 2–5", "rapidfuzz": "rapidfuzz ratio"}
# Packages of linnet that no link depends on.
_NOT_LINKING = {"annotate", "cli", "evaluate", "integrations", "samples", "scale", "serve", "train"}


@dataclass(frozen=True)
class System:
    """A system and what its answers depend on beside the dev set and the terminology.

    digest  of that, given a dev set and the folder of what is kept
    """

    name: str
    answer: Callable[[DevSet, Path], list[Answer]]
    digest: Callable[[DevSet, Path], str]


def answers(system: System, dev_set: DevSet, out: Path) -> list[Answer]:
    """The system's answers from `out`, asked for and kept there if the system, the set or the terminology is new."""
    key = artifact.digest(system.digest(dev_set, out), _digest_of(dev_set), dev_set.terminology.digest)
    path = out / "answers" / f"{dev_set.name}.{system.name.replace(' ', '-')}.{key[:12]}.json.gz"
    if not path.exists():
        bench.say(f"{dev_set.name}: {system.name}")
        write_answers(path, system.answer(dev_set, out))
    return read_answers(path)


def _linnet(dev_set: DevSet, pipeline: Pipeline) -> list[Answer]:
    linker = Linker.open([dev_set.terminology], pipeline=pipeline)
    links = linker.link(_questions(dev_set), k=K)
    return answers_of(links, predicted_of(links))


def _default(dev_set: DevSet, out: Path) -> list[Answer]:
    """The default pipeline; a set that `context` learns from gets a reranker trained without it."""
    if dev_set.name not in LEFT_OUT:
        return _linnet(dev_set, Pipeline())
    return _linnet(dev_set, Pipeline(reranker=str(reranker_without(dev_set.name, out))))


def _default_code(dev_set: DevSet, out: Path) -> str:
    if dev_set.name not in LEFT_OUT:
        return linking_code()
    return artifact.digest(linking_code(), reranker_without(dev_set.name, out).name)


def _accurate(dev_set: DevSet, out: Path) -> list[Answer]:
    """The accurate pipeline, with the index that it searches; a set that it learns from gets rerankers trained without it."""
    reranker = ACCURATE if dev_set.name not in LEFT_OUT else str(accurate_without(dev_set.name, out))
    wanted = second_index(reranker)
    assert wanted is not None
    build_second_index(dev_set.terminology, wanted, update=True)
    return _linnet(dev_set, Pipeline(reranker=reranker))


def _accurate_code(dev_set: DevSet, out: Path) -> str:
    if dev_set.name not in LEFT_OUT:
        return linking_code()
    return artifact.digest(linking_code(), accurate_without(dev_set.name, out).name)


def _peer(dev_set: DevSet, peer: str) -> list[Answer]:
    texts = expanded_texts(_questions(dev_set))
    distinct = sorted(set(texts))
    job: dict[str, Any] = {"threads": [2], "compared": 10**12, "peers": [PEERS[peer]]}
    rows = bench.run_peers(bench.peers_python(), dev_set.terminology, distinct, **job)[PEERS[peer]]["found"]
    found = dict(zip(distinct, rows, strict=True))
    return [Answer(bench.predicted(found[text]), found[text][0][2] if found[text] else 0.0) for text in texts]


def _questions(dev_set: DevSet) -> list[Mention]:
    """The mentions without their gold concepts."""
    return [mention for document in blank(dev_set.documents) for mention in document.mentions]


@lru_cache(maxsize=1)
def linking_code() -> str:
    """Digest of all code and all models that a link may depend on."""
    folder = Path(linnet.__file__).parent
    files = [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.suffix != ".pyc" and file.relative_to(folder).parts[0] not in _NOT_LINKING
    ]
    return artifact.digest(*(part for file in files for part in (str(file.relative_to(folder)), file)))


def _peer_code() -> str:
    return artifact.digest(
        *(Path(bench.__file__).with_name(name) for name in ("peers.py", "sparse_speed.py"))
    )


def _digest_of(dev_set: DevSet) -> str:
    rows: Sequence[str] = [
        f"{mention.document.id}\t{mention.start}\t{mention.document.text}\t{' '.join(mention.concepts)}"
        for mention in dev_set.mentions
    ]
    return artifact.digest(*rows)


systems: dict[str, System] = {
    "TF-IDF": System("TF-IDF", lambda dev_set, _: _peer(dev_set, "TF-IDF"), lambda *_: _peer_code()),
    "rapidfuzz": System("rapidfuzz", lambda dev_set, _: _peer(dev_set, "rapidfuzz"), lambda *_: _peer_code()),
    ENCODER: System(
        ENCODER, lambda dev_set, _: _linnet(dev_set, Pipeline(reranker=None)), lambda *_: linking_code()
    ),
    DEFAULT: System(DEFAULT, _default, _default_code),
    ACCURATE: System(ACCURATE, _accurate, _accurate_code),
}
