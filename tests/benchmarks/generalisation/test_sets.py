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


def test_no_id_of_snomed_ct_is_written(folder: Path, tmp_path: Path) -> None:
    data, header = folder.parent, "phrase\tconcept\tname\n"
    corpus = data / "corpora/askapatient"
    corpus.mkdir(parents=True)
    (corpus / "fold0.train.tsv").write_text(header + "vells all over\tSCTID:1001\tVell rash\n")
    (corpus / "fold0.dev.tsv").write_text(header + "dorned\tSCTID:1003\tDorn\nboth\tSCTID:1002\tBoth\n")
    dev_set = sets["askapatient"](data, tmp_path / "out")
    assert {mention.text: mention.concepts for mention in dev_set.mentions} == {
        "vells all over": ("HP:0000001",),
        "dorned": ("DOID:1",),
    }
    assert {concept.xrefs for concept in dev_set.terminology} == {()}
    written = [file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert written
    assert not any(word in content for content in written for word in (b"SNOMED", b"SCTID"))
