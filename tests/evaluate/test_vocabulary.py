"""Several terminologies taken as one."""

from __future__ import annotations

from pathlib import Path

from linnet.evaluate.vocabulary import Vocabulary
from linnet.terminology import write_terminology
from linnet.types import Concept


def test_the_first_terminology_that_knows_an_id_answers(tmp_path: Path) -> None:
    one = write_terminology(
        [Concept("X:1", "flu"), Concept("X:0", "", replaced_by=("X:1",))], tmp_path / "one"
    )
    two = write_terminology(
        [Concept("X:1", "influenza", parents=("X:2",)), Concept("X:2", "infection")], tmp_path / "two"
    )
    both = Vocabulary([one, two])
    assert both
    assert both.resolve("X:0") == ("X:1",)
    assert both.resolve("X:0") == ("X:1",)
    assert both.resolve("X:9") == ()
    assert (both.name("X:1"), both.name("X:2"), both.name("X:9")) == ("flu", "infection", "")
    assert both.known("X:2")
    assert not both.known("X:0")
    assert both.parents("X:1") == ["X:2"]
    assert [entry["digest"] for entry in both.provenance()] == [one.digest, two.digest]


def test_without_terminologies_ids_stand_for_themselves() -> None:
    none = Vocabulary()
    assert not none
    assert none.resolve("X:1") == ("X:1",)
    assert none.name("X:1") == ""
    assert none.parents("X:1") == []
