"""The dev sets made of the real data: what goes into a terminology and what a set asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.generalisation.sets import sets
from linnet.train.held_out_names import words_of


@pytest.mark.data
def test_held_out_names_are_not_in_the_terminology_that_they_are_linked_to(
    data: Path, tmp_path: Path
) -> None:
    dev_set = sets["cells-synonyms"](data, tmp_path)
    names = {words_of(name) for concept in dev_set.terminology for name in concept.all_names}
    assert len(dev_set.mentions) > 1000
    for mention in dev_set.mentions:
        assert words_of(mention.text) not in names
        assert dev_set.terminology.row(mention.concepts[0]) >= 0


@pytest.mark.data
def test_no_id_of_snomed_ct_is_written(data: Path, tmp_path: Path) -> None:
    dev_set = sets["askapatient"](data, tmp_path)
    assert len(dev_set.mentions) == 1500
    assert {mention.concepts[0].split(":")[0] for mention in dev_set.mentions} <= {"HP", "DOID", "MONDO"}
    assert not any(
        reference.startswith(("SNOMED", "SCTID"))
        for concept in dev_set.terminology
        for reference in (concept.id, *concept.xrefs)
    )
