"""Pairs of an id and a label are told apart by what is known of them, with the nearest right concept."""

from __future__ import annotations

import pytest
from tests.mapping.conftest import BREAST, GOUT, OVARY, concepts, written

import linnet
from linnet.mapping.checking import Verdict, check_pairs
from linnet.types import Concept


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> linnet.Linker:
    place = tmp_path_factory.mktemp("check") / "t"
    retired = Concept("OMOP:3", "", replaced_by=(GOUT,))
    return linnet.load(written(place, [*concepts(), retired]), threads=1)


@pytest.mark.parametrize(
    ("id", "label", "verdict", "nearest"),
    [
        (GOUT, "Podagra", Verdict.NAME, GOUT),
        ("omop:440674", "gout", Verdict.NAME, GOUT),
        (OVARY, "cancer of the ovaries", Verdict.LIKELY, OVARY),
        (GOUT, "breast cancer", Verdict.WRONG, BREAST),
        (OVARY, "breast cancer", Verdict.WRONG, BREAST),
        (GOUT, "n/a", Verdict.DOUBTFUL, ""),
        (GOUT, "severe gout", Verdict.LIKELY, GOUT),
        (GOUT, "family history of gout", Verdict.DOUBTFUL, GOUT),
        ("OMOP:3", "podagra", Verdict.RETIRED, GOUT),
        ("OMOP:99", "podagra", Verdict.UNKNOWN, GOUT),
    ],
)
def test_verdicts(linker: linnet.Linker, id: str, label: str, verdict: Verdict, nearest: str) -> None:
    [checked] = check_pairs([(id, label)], linker)
    assert (checked.verdict, checked.nearest) == (verdict, nearest)
    assert (checked.id, checked.label) == (id, label)


def test_many_pairs_keep_their_order(linker: linnet.Linker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linnet.mapping.checking._TOGETHER", 2)
    pairs = [(GOUT, "gout"), (BREAST, "gout"), (OVARY, ""), (GOUT, "podagra"), (BREAST, "breast cancer")]
    found = list(check_pairs(pairs, linker))
    assert [(each.id, each.label) for each in found] == pairs
