"""What strings name by their words, and whether that is what their concepts are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.rerank import name_kinds
from linnet.rerank.name_kinds import (
    BUCKETS,
    KINDS,
    clues,
    expected_kinds,
    kinds,
    same_kind,
    usual_kinds,
)
from linnet.words.semantic_groups import Group

PLACES = {kind: place for place, kind in enumerate(KINDS)}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Dornian fever", "disorder"), ("acute pelvic pain", "disorder"), ("Zarnic acid", "chemical"), ("zarnal biopsy", "procedure"),
        ("zarnase precursor protein", "gene"), ("left dornal artery", "anatomy"), ("regulation of zarnate transport", "process"),
    ],
)  # fmt: skip
def test_invented_names_are_sorted_by_their_words(text: str, kind: str) -> None:
    shares = kinds([text])[0]
    assert shares.sum() == pytest.approx(1)
    assert list(KINDS)[int(shares.argmax())] == kind


def test_the_last_word_decides() -> None:
    disease, vaccine, disorder = kinds(
        ["Dornian fever", "Dornian fever vaccine", "Dornian fever vaccine injury"]
    )[:, PLACES["disorder"]]
    assert vaccine < 0.3 < min(disease, disorder)


def test_case_spelling_and_punctuation_hardly_matter() -> None:
    assert clues("TUMOUR, Dornian") == clues("tumor dornian")


@pytest.mark.parametrize("text", ["", "  ", "!?", "\ud800", "a" * 10_000, "漢字"])
def test_any_string_has_kinds(text: str) -> None:
    head, rest = clues(text)
    assert head
    assert rest
    assert all(0 <= clue < BUCKETS for clue in (*head, *rest))
    assert kinds([text]).sum() == pytest.approx(1)


def test_no_strings_have_none() -> None:
    assert kinds([]).shape == (0, len(KINDS))


def test_groups_are_believed_rather_than_the_words_of_a_name() -> None:
    expected = expected_kinds(
        np.array([int(Group.DISEASE), int(Group.CHEMICAL | Group.GENE), 0]), np.full(8, 0.5)
    )
    assert expected[0, PLACES["disorder"]] == 1
    assert expected[0].sum() < 1.2
    assert expected[1, PLACES["chemical"]] == expected[1, PLACES["gene"]] == 1
    assert (expected[2] == 0.5).all()


def test_the_names_of_a_terminology_tell_what_it_is_about() -> None:
    usual = usual_kinds(["Dornian fever", "chronic dornitis", "Zarnic syndrome"])
    assert usual[PLACES["disorder"]] == usual.max() == 1
    assert (usual > 0).all()
    assert (usual_kinds([]) == 1).all()


def test_a_drug_is_not_of_the_kind_of_the_disorder_that_is_close_to_it() -> None:
    disorders = expected_kinds(np.full(3, int(Group.DISEASE)), np.ones(8))
    names = ["Dornian fever", "Factor VII Deficiency", "Dornian fever"]
    alike, protein, vaccine = same_kind(
        kinds(["fever of Dorn", "coagulation factor VII", "Dornian fever vaccine"]), names, disorders
    )
    assert alike > 0.8
    assert protein < 0.5
    assert vaccine < 0.5


def test_the_last_words_count_as_much_as_all_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.zeros((BUCKETS, len(KINDS)))
    head, rest = clues("dorn")
    weights[head, PLACES["organism"]] = 5
    weights[rest, PLACES["chemical"]] = 4
    kinds_of = np.ones(len(KINDS))
    np.savez(tmp_path / "kinds.npz", weights=weights.astype(np.int8), scale=kinds_of, bias=0 * kinds_of)
    monkeypatch.setattr(name_kinds, "FILE", tmp_path / "kinds.npz")
    for cached in (name_kinds._table, name_kinds._kinds):
        cached.cache_clear()
    try:
        [own] = kinds(["dorn"])
        assert own[PLACES["organism"]] / own[PLACES["chemical"]] == pytest.approx(np.exp((5 - 4) / 2))
    finally:
        for cached in (name_kinds._table, name_kinds._kinds):
            cached.cache_clear()
