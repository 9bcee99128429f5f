"""The generator of `make bench-scale` at 20,000 concepts: the code that makes 3.4 million, of the packaged names."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import read
from linnet.words.text import fold

SCALE = Path(__file__).parents[1] / "benchmarks" / "scale"
CONCEPTS, NAMES, QUERIES = 20_000, 43_500, 500


@pytest.fixture(scope="module")
def scale() -> Iterator[ModuleType]:
    """The module `generate`, with those beside it."""
    before = set(sys.modules)
    sys.path.insert(0, str(SCALE))
    import generate

    yield generate
    sys.path[:] = [place for place in sys.path if place != str(SCALE)]
    for name in set(sys.modules) - before:
        if str(SCALE) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture(scope="module")
def written(scale: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(scale, tmp_path_factory.mktemp("written"))


@pytest.fixture(scope="module")
def store(written: Path) -> Terminology:
    return write_terminology(read(written / "META"), written / "store")


def _write(scale: ModuleType, out: Path, *, seed: int = 0, concepts: int = CONCEPTS) -> Path:
    names = round(NAMES * concepts / CONCEPTS)
    seeds = scale.packaged_seeds()
    scale.write(out, seeds, concepts=concepts, names=names, queries=QUERIES, seed=seed)
    return out


def test_it_makes_as_many_concepts_and_names_as_asked_for(store: Terminology) -> None:
    assert len(store) == CONCEPTS
    assert abs(len(store.names) / NAMES - 1) < 0.05


def test_some_names_and_only_some_belong_to_several_concepts(store: Terminology) -> None:
    times = Counter(fold(name) for name in store.names.take(range(len(store.names))))
    assert 0.005 < sum(count > 1 for count in times.values()) / len(times) < 0.02


def test_most_concepts_have_one_name_and_few_have_many(store: Terminology) -> None:
    sizes = Counter(len(store.name_rows(row)) for row in range(len(store)))
    assert sizes[1] > sizes[2] > sizes[3] > sum(count for size, count in sizes.items() if size > 10) > 0


def test_concepts_have_types_and_those_made_of_another_have_it_as_parent(store: Terminology) -> None:
    real = sum(store.sources(row) == ("REAL",) for row in range(len(store)))
    assert 0 < real <= CONCEPTS / 10
    for row in range(real, real + 200):
        assert store.types(row)
        (parent,) = store.parents(row)
        assert any(name in " ".join(store.concept(row).all_names) for name in store.concept(parent).all_names)


def test_the_same_seed_gives_the_same_files_and_another_one_others(scale: ModuleType, tmp_path: Path) -> None:
    first, again, other = (
        _write(scale, tmp_path / name, seed=seed, concepts=4000)
        for name, seed in (("first", 0), ("again", 0), ("other", 1))
    )
    for name in ("META/MRCONSO.RRF", "META/MRREL.RRF", "META/MRSTY.RRF", "META/MRDEF.RRF", "queries.jsonl"):
        assert (first / name).read_bytes() == (again / name).read_bytes()
    assert (first / "META/MRCONSO.RRF").read_bytes() != (other / "META/MRCONSO.RRF").read_bytes()


def test_queries_are_mentions_of_concepts_that_are_there(written: Path, store: Terminology) -> None:
    queries = [json.loads(line) for line in (written / "queries.jsonl").read_text("utf-8").splitlines()]
    assert abs(len(queries) - QUERIES) < 0.15 * QUERIES
    assert all(query["text"].strip() for query in queries)
    concepts = [store.concept(store.row(query["concepts"][0])) for query in queries]
    same = sum(query["text"] in concept.all_names for query, concept in zip(queries, concepts, strict=True))
    assert 0.05 < same / len(queries) < 0.5


def test_edits_never_leave_nothing(scale: ModuleType) -> None:
    mentions = sys.modules["mentions"]
    for name in ("AT", "x", "Kaposi sarcoma", "a, b", "1-2", "left knee, initial encounter", "Ünlü-Syndrom"):
        assert all(mentions.edited(name, Random(seed)).strip() for seed in range(200))


def test_too_few_real_names_are_told_with_what_to_do(scale: ModuleType) -> None:
    with pytest.raises(SystemExit, match="Set LINNET_DATA"):
        for _ in scale.generate(scale.packaged_seeds()[:3], concepts=1_000_000, names=2_000_000):
            pass
