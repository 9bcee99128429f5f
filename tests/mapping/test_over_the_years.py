"""A source grows and a terminology changes: decisions stay, and what is in doubt comes back."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.mapping.conftest import BREAST, GOUT, OVARY, TABLE, concepts, written

from linnet.errors import DataError
from linnet.link.linker_config import LinkerConfig
from linnet.mapping import Columns, Mapping
from linnet.mapping.browsing import Listing
from linnet.mapping.decisions import Event, Status
from linnet.types import Concept


def upgraded(mapping: Mapping, place: Path, given: list[Concept]) -> dict[str, int]:
    config = LinkerConfig.of([written(place, given)], {"threads": 1})
    return dict(mapping.upgrade(config).reasons)


def newer(mapping: Mapping, text: str) -> Path:
    file = mapping.path.parent / "newer.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_new_strings_are_added_and_decisions_stay(mapping: Mapping) -> None:
    mapping.decide(1, GOUT, by="ann")
    table = TABLE.replace("A1,podagra,120", "A1,podagra,500").replace("A4,n/a,40,medicine\n", "")
    changed = mapping.update(newer(mapping, table + "A9,ovarian cancer,3,surgery\n"))
    assert tuple(changed) == (1, 4, 1, 0)
    assert (mapping[1].frequency, mapping[1].targets[0].concept) == (507, GOUT)
    [new] = mapping.find(code="A9")
    assert [target.concept for target in new.targets] == [OVARY]
    assert mapping[4].frequency == 0
    assert mapping.report().strings.total() == 5


def test_a_code_that_moved_to_another_string_is_a_code_of_that_string(mapping: Mapping) -> None:
    mapping.update(newer(mapping, TABLE.replace("A6,podagra", "A6,breast cancer")))
    assert [code.code for code in mapping[1].codes] == ["A1"]
    assert {row.text for row in mapping.find(code="A6")} == {"breast cancer"}


def test_a_string_that_is_gone_is_in_no_export_and_one_without_records_stays(mapping: Mapping) -> None:
    mapping.decide(1, GOUT)
    mapping.decide(2, BREAST)
    mapping.update(newer(mapping, "code,label,n,ward\nA1,breast cancer,0,surgery\n"))
    file = mapping.path.parent / "out.csv"
    assert "4 strings that the newest table no longer has" in mapping.export(file)[0]
    [_, row] = file.read_text(encoding="utf-8").splitlines()
    assert row.startswith("A1,breast cancer,surgery,0,approved")
    assert [found.number for found in mapping.find(code="A1")] == [2]
    assert dict(mapping.report().strings) == {"mapped": 1}
    assert Listing(mapping).page().total == 1


def test_a_table_without_the_columns_changes_nothing(mapping: Mapping) -> None:
    before = [row.frequency for row in mapping]
    for bad in (TABLE.replace("ward", "unit"), TABLE.replace("40,", "some,")):
        with pytest.raises(Exception, match=r"ward|some"):
            mapping.update(newer(mapping, bad))
    assert [row.frequency for row in mapping] == before


def test_an_equal_release_returns_nothing(mapping: Mapping, tmp_path: Path) -> None:
    mapping.decide(1, GOUT)
    mapping.decide(4, ())
    assert upgraded(mapping, tmp_path / "new", concepts()) == {}
    assert mapping[1].status is Status.APPROVED
    assert mapping.config.terminologies == (str(tmp_path / "new"),)


def test_a_retired_concept_comes_back_with_the_one_in_its_place(mapping: Mapping, tmp_path: Path) -> None:
    mapping.decide(1, GOUT, by="ann", equivalence="broader")
    given = [each for each in concepts() if each.id != GOUT]
    given += [Concept("OMOP:1", "Gouty arthritis", ("podagra",)), Concept(GOUT, "", replaced_by=("OMOP:1",))]
    assert upgraded(mapping, tmp_path / "new", given) == {"retired": 1}
    row = mapping[1]
    assert row.status is Status.UNCHECKED
    assert "OMOP:1" in row.state.returned
    assert [(target.concept, target.name) for target in row.targets] == [("OMOP:1", "Gouty arthritis")]
    assert mapping.history(1)[0].targets[0].concept == GOUT
    assert mapping.decide(1, "OMOP:1").state.returned == ""


def test_a_split_a_removed_and_a_renamed_concept_come_back(mapping: Mapping, tmp_path: Path) -> None:
    for number, id in ((1, GOUT), (2, BREAST), (4, OVARY)):
        mapping.decide(number, id)
    given = [
        Concept("OMOP:1", "Gout of the toe", ("podagra",)), Concept("OMOP:2", "Gout of the hand"),
        Concept(GOUT, "", replaced_by=("OMOP:1", "OMOP:2")), Concept(OVARY, "Ovarian cyst"),
    ]  # fmt: skip
    assert upgraded(mapping, tmp_path / "new", given) == {"split": 1, "removed": 1, "renamed": 1}
    assert [target.concept for target in mapping[1].targets] == ["OMOP:1", "OMOP:2"]
    assert mapping[2].targets == ()
    assert "Ovarian cyst" in mapping[4].state.returned


def test_a_new_preferred_name_alone_is_no_reason(mapping: Mapping, tmp_path: Path) -> None:
    mapping.decide(1, GOUT)
    given = [
        replace(each, name="Podagra", names=("gout",)) if each.id == GOUT else each for each in concepts()
    ]
    assert upgraded(mapping, tmp_path / "new", given) == {}


def test_a_string_without_a_concept_comes_back_for_a_new_one(mapping: Mapping, tmp_path: Path) -> None:
    mapping.decide(2, ())
    mapping.decide(4, ())
    given = [each for each in concepts() if each.id != BREAST]
    new = Concept("OMOP:7", "Breast cancer", ("breast cancer",), ("Condition",))
    assert upgraded(mapping, tmp_path / "new", [*given, new]) == {"new concept": 1}
    assert [target.concept for target in mapping[2].targets] == ["OMOP:7"]
    assert mapping[4].status is Status.APPROVED


def test_a_row_that_was_returned_stays_so_until_somebody_decides(mapping: Mapping, tmp_path: Path) -> None:
    mapping.decide(1, GOUT)
    without = [each for each in concepts() if each.id != GOUT]
    assert upgraded(mapping, tmp_path / "new", without) == {"removed": 1}
    assert upgraded(mapping, tmp_path / "newer", without) == {}
    assert mapping[1].state.returned
    assert [entry.event for entry in mapping.history(1)] == [Event.DECIDED, Event.RETURNED]


@pytest.mark.data
@pytest.mark.skipif(not os.environ.get("LINNET_DATA"), reason="needs LINNET_DATA")
def test_a_real_release_of_hpo(tmp_path: Path) -> None:
    import linnet

    folder = Path(os.environ["LINNET_DATA"]) / "terminologies"
    files = (folder / "hpo/hp.json", folder / "hpo/hp-2025-01-16.obo.gz")
    old, new = (linnet.build(file, tmp_path / str(n), threads=1) for n, file in enumerate(files))
    gone = [id for id in old.ids if new.row(id) < 0]
    kept = [id for id in old.ids if new.row(id) >= 0][100:130]
    chosen = [*gone[:5], *kept]
    table = "code,label\n" + "".join(f'{id},"{old[id].name}"\n' for id in chosen)
    (tmp_path / "t.csv").write_text(table, encoding="utf-8")
    mapping = Mapping.new(
        tmp_path / "t.csv", tmp_path / "m", LinkerConfig.of([tmp_path / "0"], {}),
        columns=Columns(text="label", id="code"),
    )  # fmt: skip
    for id in chosen:
        mapping.decide(mapping.find(code=id)[0].number, id)
    changed = mapping.upgrade(LinkerConfig.of([tmp_path / "1"], {}))
    returned = {row.codes[0].code for row in mapping if row.state.returned}
    assert set(gone[:5]) <= returned
    assert changed.reasons["retired"] + changed.reasons["split"] + changed.reasons["removed"] == len(gone[:5])


def test_report_counts_strings_and_records(make: Callable[..., Mapping]) -> None:
    mapping = make()
    mapping.decide(1, GOUT)
    mapping.decide(2, OVARY)
    mapping.decide(4, (), status="flagged")
    found = mapping.report()
    assert dict(found.strings) == {"mapped": 2, "flagged": 1, "unchecked": 2}
    assert dict(found.records) == {"mapped": 157, "flagged": 40, "unchecked": 7}
    assert found.covered() == (2 / 5, 157 / 204)
    assert found.observed is not None
    assert (found.observed.share, found.observed.total) == (0.5, 2)
    assert found.expected is not None
    assert 0 < found.expected.low <= found.expected.share <= found.expected.high <= 1


def test_a_disputed_row_is_not_mapped(mapping: Mapping) -> None:
    mapping.decide(1, GOUT, by="ann")
    mapping.decide(1, BREAST, by="bob")
    assert mapping.report().strings["disputed"] == 1
    with pytest.raises(DataError):
        mapping.update(newer(mapping, "code,label,n,ward\n"))
