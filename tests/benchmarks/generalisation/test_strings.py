"""The strings that are committed, and how those of the registry are found."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.generalisation.draw import draw
from benchmarks.generalisation.strings import REGISTRY, Strings, digest_of, hospital, mixed, registry

TRIALS = [{"conditions": [f"Invented condition {i}" for i in range(400)], "interventions": []}]


@pytest.mark.parametrize(("strings", "count", "nil"), [(hospital(), 150, 18), (mixed(), 137, 15)])
def test_each_string_has_an_answer_and_a_difficulty(strings: Strings, count: int, nil: int) -> None:
    assert [string.number for string in strings.strings] == list(range(1, count + 1))
    assert len({string.text for string in strings.strings}) == count
    counts = Counter(string.difficulty for string in strings.strings)
    assert counts["nil"] == nil
    for string in strings.strings:
        assert (string.difficulty == "nil") == (not string.concepts)
        assert (string.difficulty == "several") == (len(string.concepts) > 1)
        assert all(concept.startswith("MESH:") for concept in string.concepts)


def test_the_second_set_has_no_string_of_the_others() -> None:
    others = {string.text.casefold() for string in hospital().strings}
    digests = {json.loads(row)["sha1"] for row in REGISTRY.read_text(encoding="utf-8").splitlines()}
    texts = [string.text for string in mixed().strings]
    assert not others & {text.casefold() for text in texts}
    assert not digests & set(map(digest_of, texts))


@pytest.mark.data
def test_the_concepts_of_hospital_strings_are_descriptors_of_mesh_2024(data: Path) -> None:
    terms = gzip.decompress((data / "terminologies/mesh2024/mesh2024_terms.tsv.gz").read_bytes()).decode()
    descriptors = {f"MESH:{line.partition(chr(9))[0]}" for line in terms.splitlines()}
    for strings in (hospital(), mixed()):
        concepts = {concept for string in strings.strings for concept in string.concepts}
        assert {concept for concept in concepts if concept.startswith("MESH:D")} <= descriptors


@pytest.fixture
def with_trials(tmp_path: Path) -> Path:
    folder = tmp_path / "corpora" / "clinical-trials"
    folder.mkdir(parents=True)
    (folder / "trials.jsonl").write_text("\n".join(map(json.dumps, TRIALS)), encoding="utf-8")
    return tmp_path


def _row(digest: str, part: str = "tune") -> str:
    return json.dumps({"sha1": digest, "part": part, "concepts": ["MESH:D1"], "difficulty": "exact"}) + "\n"


def test_registry_strings_are_found_by_the_digest_of_their_text(with_trials: Path, tmp_path: Path) -> None:
    drawn = draw(with_trials / "corpora/clinical-trials/trials.jsonl")
    path = tmp_path / "registry.jsonl"
    rows = [
        _row(digest_of(string.text), part) for string, part in zip(drawn, ["tune", "score"], strict=False)
    ]
    path.write_text("".join(rows), encoding="utf-8")
    assert [string.text for string in registry(with_trials, part="score", path=path).strings] == [
        drawn[1].text
    ]


def test_a_digest_of_no_string_is_refused(with_trials: Path, tmp_path: Path) -> None:
    path = tmp_path / "registry.jsonl"
    path.write_text(_row("0" * 40), encoding="utf-8")
    with pytest.raises(ValueError, match="1 digests, 0000"):
        registry(with_trials, part="tune", path=path)
