"""A value of a filter that matches nothing is named, of all sources together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linnet.terminology.readers import ReadOptions, read_several
from linnet.terminology.readers.filter_use import FilterUse
from linnet.types import Concept

CONCEPTS = [
    Concept("X:1", "gout", types=("Disease", "T047"), sources=("MSH",)),
    Concept("Y:1", "aspirin", types=("Chemical",), sources=("NCI",)),
]


def notes(options: ReadOptions, *formats: str) -> list[str]:
    use = FilterUse(options, formats or ("umls",))
    assert list(use.watch(iter(CONCEPTS))) == CONCEPTS
    return list(use.notes())


def test_values_that_no_concept_has_are_named() -> None:
    (types,) = notes(ReadOptions(types=frozenset({"disease", "Symptom"})))
    assert (
        types
        == "no concept that was kept has the type 'Symptom'. They have: Disease (1), T047 (1), Chemical (1)."
    )
    (prefixes,) = notes(ReadOptions(only_prefixes=frozenset({"x:", "Z"})))
    assert "the prefix 'Z'" in prefixes
    (vocabularies,) = notes(ReadOptions(vocabularies=frozenset({"MSH", "SNOMEDCT"})))
    assert "the vocabulary 'SNOMEDCT'" in vocabularies


def test_values_that_match_say_nothing() -> None:
    assert (
        notes(ReadOptions(types=frozenset({"T047", "chemical"}), only_prefixes=frozenset({"X", "y"}))) == []
    )
    # Their vocabularies may be spelt in two ways.
    assert notes(ReadOptions(vocabularies=frozenset({"MSH", "mesh"})), "gilda") == []


def test_a_prefix_may_be_in_another_source(tmp_path: Path) -> None:
    told: list[str] = []

    def read(*prefixes: str) -> Iterator[Concept]:
        files = []
        for prefix in "AB":
            files.append(tmp_path / f"{prefix}.csv")
            files[-1].write_text(f"id,name\n{prefix}:1,gout\n", encoding="utf-8")
        options = ReadOptions(only_prefixes=frozenset(prefixes), notice=told.append)
        return read_several(files, formats=["table", "table"], options=options)

    assert len(list(read("A", "B"))) == 2
    assert told == []
    assert len(list(read("A", "B", "C"))) == 2
    assert len(told) == 1
    assert "no concept that was kept has the prefix 'C'" in told[0]
