"""A mapping of a table: rows, proposals, decisions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.advised import advises
from tests.mapping.conftest import BREAST, GOUT, TABLE

import linnet
from linnet.advice import Step
from linnet.errors import RequestError, StoreError, UnknownIdError
from linnet.link.linker_config import LinkerConfig
from linnet.mapping import Columns, Mapping
from linnet.mapping.decisions import Equivalence, Status
from linnet.mapping.store import FILE


def test_rows_are_distinct_strings_with_codes_and_proposals(mapping: Mapping) -> None:
    rows = {(row.text, row.context): row for row in mapping}
    gout = rows["podagra", ("medicine",)]
    assert [(code.code, code.frequency) for code in gout.codes] == [("A1", 120), ("A6", 7)]
    assert (gout.frequency, [target.concept for target in gout.targets]) == (127, [GOUT])
    assert rows["n/a", ("medicine",)].targets == ()
    both = rows["breast cancer, gout", ("surgery",)]
    assert [target.concept for target in both.targets] == [BREAST, GOUT]
    assert [target.name for target in both.targets] == ["Breast Neoplasms", "Gout"]
    assert {row.status for row in rows.values()} == {Status.UNCHECKED}


def test_it_is_the_same_when_it_is_opened_again(mapping: Mapping) -> None:
    mapping.decide(1, GOUT, by="ann", equivalence="equal", comment="checked")
    mapping.close()
    again = linnet.Mapping.open(mapping.path)
    made = again[1].state.decision
    assert made is not None
    assert (made.by, made.equivalence, made.comment, made.choice) == ("ann", Equivalence.EQUAL, "checked", 1)
    assert (again.columns, len(again)) == (
        Columns(text="label", id="code", frequency="n", context=("ward",)),
        5,
    )


def test_a_decision_by_another_id_of_the_concept_is_that_concept(mapping: Mapping) -> None:
    assert mapping.decide(1, "omop:440674").targets[0].concept == GOUT


def test_unknown_rows_and_concepts_are_refused_and_nothing_is_written(mapping: Mapping) -> None:
    with pytest.raises(UnknownIdError, match="OMOP:1"):
        mapping.decide(1, [GOUT, "OMOP:1"])
    with pytest.raises(RequestError, match="no row 99"):
        mapping.decide(99, GOUT)
    assert mapping.history(1) == []


def test_undo_takes_back_the_last_decision_and_the_log_keeps_it(mapping: Mapping) -> None:
    mapping.decide(1, GOUT, by="ann")
    mapping.decide(1, (), by="ann")
    assert mapping.undo(1, by="ann").targets[0].concept == GOUT
    assert mapping.undo(1).status is Status.UNCHECKED
    assert len(mapping.history(1)) == 4
    with pytest.raises(RequestError, match="Nothing was decided"):
        mapping.undo(1)


def test_many_are_approved_at_once_and_decided_rows_stay(mapping: Mapping) -> None:
    mapping.decide(2, (), by="ann")
    assert mapping.approve([1, 2, 4], by="bob") == 2
    assert [mapping[number].status for number in (1, 2, 4)] == [Status.APPROVED] * 3
    assert mapping[2].targets == ()
    assert mapping[4].equivalence is Equivalence.UNMATCHED


def test_what_is_not_said_of_the_equivalence_follows_from_the_words(make: Callable[..., Mapping]) -> None:
    texts = ["podagra", "family history of gout", "severe gout", "gout and breast cancer"]
    mapping = make("label\n" + "".join(f"{text}\n" for text in texts), Columns(text="label"))
    approved = {row.number: row.text for row in mapping if row.proposal and row.proposal.targets}
    assert mapping.approve(approved, by="ann") == len(texts)
    assert [mapping[number].equivalence for number in approved] == [
        Equivalence.EQUIVALENT, Equivalence.INEXACT, Equivalence.BROADER, Equivalence.NARROWER,
    ]  # fmt: skip
    assert mapping.decide(3, GOUT, by="ann").equivalence is Equivalence.BROADER
    assert mapping.decide(3, GOUT, equivalence="equivalent", by="ann").equivalence is Equivalence.EQUIVALENT
    assert mapping.decide(3, BREAST, by="ann").equivalence is Equivalence.BROADER


def test_with_four_eyes_a_row_is_done_after_the_second_person(make: Callable[..., Mapping]) -> None:
    mapping = make(four_eyes=True)
    assert not mapping.is_done(mapping.decide(1, GOUT, by="ann").state)
    assert not mapping.is_done(mapping.decide(1, GOUT, by="ann").state)
    assert mapping.is_done(mapping.decide(1, GOUT, by="bob").state)
    assert not mapping.is_done(mapping.decide(1, BREAST, by="bob").state)


def test_approving_many_confirms_and_never_contradicts(make: Callable[..., Mapping]) -> None:
    mapping = make(four_eyes=True)
    mapping.decide(1, GOUT, by="ann")
    mapping.decide(2, GOUT, by="ann")  # another concept than the proposed one
    assert mapping.approve([1, 2], by="bob") == 1
    assert mapping.is_done(mapping[1].state)
    assert mapping[2].targets[0].concept == GOUT


def test_an_existing_folder_is_not_overwritten(mapping: Mapping, make: Callable[..., Mapping]) -> None:
    with pytest.raises(StoreError, check=advises(Step.UPDATE_MAPPING)):
        make()


def test_a_table_that_is_refused_leaves_no_folder(make: Callable[..., Mapping], tmp_path: Path) -> None:
    with pytest.raises(linnet.LinnetError):
        make(TABLE.replace("120", "<5"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["codes.csv"]


def test_a_folder_that_is_no_mapping_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, check=advises(Step.MAKE_MAPPING)):
        Mapping.open(tmp_path)


def test_an_interrupted_run_goes_on_where_it_stopped(
    make: Callable[..., Mapping], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linnet.mapping.proposing._TOGETHER", 2)

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    config = make(place="other.map").config
    with pytest.raises(KeyboardInterrupt):
        Mapping.new(
            tmp_path / "codes.csv", tmp_path / "m", config, columns=Columns(text="label"), progress=stop
        )
    mapping = Mapping.open(tmp_path / "m")
    assert [row.proposal is not None for row in mapping] == [True, True, False, False, False]
    asked: list[tuple[int, int]] = []
    mapping.update(progress=lambda done, total: asked.append((done, total)))
    assert asked == [(0, 3), (2, 3), (3, 3)]
    assert all(row.proposal for row in mapping)


def test_proposals_are_those_of_the_linker(mapping: Mapping) -> None:
    link = mapping.linker.link(["breast cancer"], k=10)[0]
    [row] = mapping.find(text="breast cancer")
    assert row.proposal is not None
    assert row.proposal.probability == link.probability
    assert [candidate.concept for candidate in row.proposal.candidates] == [
        c.concept for c in link.candidates
    ]


def test_as_a_data_frame(mapping: Mapping) -> None:
    table = mapping.to_arrow()
    assert table.column_names[:4] == ["code", "text", "ward", "frequency"]
    assert table.num_rows == 6  # one for each code


def test_the_linker_is_opened_as_it_was(mapping: Mapping, omop: Path) -> None:
    assert mapping.config == LinkerConfig.of([omop], {}).located()
    assert (mapping.path / FILE).is_file()
