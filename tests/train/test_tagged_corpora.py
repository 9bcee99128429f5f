"""What partly annotated corpora say of each token: which labels are allowed, and which predictions are judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from linnet.errors import DataError
from linnet.io.settings_files import settings_from
from linnet.recognise.bioes import Labels
from linnet.recognise.token_features import TokenFeatures
from linnet.train.tagged_corpora import Example, TaggedCorpora, TaggedSource

LABELS = Labels(("Chemical", "Disease"))
NAMES = ["O", *(f"{position}-{kind}" for kind in LABELS.types for position in "BIES")]


def jsonl(path: Path, text: str, mentions: list[tuple[int, int, str]]) -> Path:
    rows = [{"start": a, "end": b, "text": text[a:b], "type": kind} for a, b, kind in mentions]
    path.write_text(json.dumps({"id": "1", "text": text, "mentions": rows}) + "\n", encoding="utf-8")
    return path


def partly(path: Path) -> dict[str, Any]:
    """A source that is complete in chemicals, with a mention of each key."""
    text = "Gout and pain after CAT scan or zinc."
    mentions = [(0, 4, "Disease"), (9, 13, "Finding"), (20, 28, "Vague"), (32, 36, "Gene")]
    return {
        "corpora": [str(jsonl(path, text, mentions))],
        "complete": ["Chemical"],
        "either": {"Finding": ["Disease", "Chemical"]},
        "unknown": ["Vague"],
        "other": ["Gene"],
    }


def read(table: dict[str, Any]) -> tuple[TaggedSource, Example, dict[str, str]]:
    """The source, its only document, and the digests."""
    data: dict[str, str] = {}
    source = TaggedSource.read(settings_from(table, TaggedCorpora), data)
    [document] = source.documents
    return source, Example.of(document, TokenFeatures(), LABELS, source), data


def allowed_in(example: Example) -> dict[str, set[str]]:
    """The labels that each token may have."""
    return {
        token: {name for name, is_allowed in zip(NAMES, row, strict=True) if is_allowed}
        for token, row in zip(example.features.tokens.texts, example.allowed, strict=True)
    }


def test_a_source_says_nothing_of_what_it_leaves_open(tmp_path: Path) -> None:
    _, example, _ = read(partly(tmp_path / "partly.jsonl"))
    outside = {"O", "B-Disease", "I-Disease", "E-Disease", "S-Disease"}  # of diseases it is not complete
    assert allowed_in(example) == {
        "Gout": {"S-Disease"},
        "and": outside,
        "pain": {"S-Disease", "S-Chemical"},
        "after": outside,
        "CAT": set(NAMES),
        "scan": set(NAMES),
        "or": outside,
        "zinc": {"O"},
        ".": outside,
    }
    chemical, disease = map(LABELS.types.index, ("Chemical", "Disease"))
    assert example.gold == frozenset()  # "Gout" is a disease, of which the source is not complete
    assert example.is_judged(14, 19, chemical)
    assert not example.is_judged(14, 19, disease)
    assert not example.is_judged(20, 23, chemical)


def test_without_keys_a_source_is_complete_in_the_types_that_it_has(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "ills.jsonl", "Old gout.", [(0, 8, "Modifier")])
    source, example, data = read({"corpora": [str(path)], "label": "Disease"})
    assert (source.types, source.complete) == ({"Disease"}, {"Disease"})
    assert example.gold == {(0, 8, LABELS.types.index("Disease"))}
    assert allowed_in(example)["Old"] == {"B-Disease"}
    assert list(data) == [str(path)]


def test_the_longest_of_overlapping_mentions_is_learnt(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "nested.jsonl",
        "lithium toxicity",
        [(0, 7, "Chemical"), (0, 16, "Disease"), (8, 16, "Disease")],
    )
    _, example, _ = read({"corpora": [str(path)]})
    assert allowed_in(example) == {"lithium": {"B-Disease"}, "toxicity": {"E-Disease"}}


def test_mentions_of_other_types_are_left_out(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "genes.jsonl", "APC and gout", [(0, 3, "Gene"), (8, 12, "Disease")])
    source, example, _ = read({"corpora": [str(path)], "types": ["Disease"]})
    assert [m.text for m in source.documents[0].mentions] == ["gout"]
    assert "O" in allowed_in(example)["APC"]
    with pytest.raises(DataError, match="Anatomy"):
        read({"corpora": [str(path)], "types": ["Anatomy"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"other": ["Vague"]}, "'Vague' is in two of types, either, unknown, other"),
        ({"either": {"Finding": []}}, "'either' gives 'Finding' no type"),
    ],
)
def test_keys_that_contradict_each_other_are_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=message):
        settings_from(partly(tmp_path / "partly.jsonl") | change, TaggedCorpora)


def test_types_that_no_source_has_are_refused(tmp_path: Path) -> None:
    table = partly(tmp_path / "partly.jsonl") | {"complete": ["Drug"]}
    settings = settings_from(table, TaggedCorpora)
    with pytest.raises(DataError, match="'complete' of the source names the type 'Drug'"):
        TaggedSource.read(settings, {}).check(LABELS.types, settings)


def test_a_source_may_have_no_say_in_the_calibration(tmp_path: Path) -> None:
    table = partly(tmp_path / "partly.jsonl")
    assert read(table)[1].calibrates
    assert not read(table | {"calibrates": False})[1].calibrates
