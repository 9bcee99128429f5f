"""Ids of other vocabularies as concepts of HPO, DO and Mondo."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from benchmarks.generalisation.cross_references import concepts_by_reference
from linnet.terminology import write_terminology
from linnet.types import Concept

SSSOM = "subject_id\tpredicate_id\tobject_id\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "hpo/hp-2025-01-16.obo.gz": "[Term]\nid: HP:0000001\nname: Vell rash\n"
        "xref: UMLS:C0000001\nxref: SNOMEDCT_US:1001\nxref: SNOMEDCT_US:1002\n",
        "doid/doid.obo.gz": "[Term]\nid: DOID:1\nname: Dorn fever\nxref: UMLS_CUI:C0000002\n"
        "xref: SNOMEDCT_US_2020_03_01:1002\n",
        "mondo/mondo_exactmatch_doid.sssom.tsv": SSSOM + "MONDO:1\tskos:exactMatch\tDOID:1\n",
        "mondo/mondo_exactmatch_umls.sssom.tsv": SSSOM + "MONDO:1\tskos:exactMatch\tUMLS:C0000003\n",
        "mondo/xrefs.tsv": 'cls\txref\nMONDO:1\t"SCTID:1003"\nMONDO:1\t"GARD:1"\nMONDO:2\t"SCTID:1004"\n',
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return tmp_path


def test_an_id_leads_to_its_one_concept_and_an_ambiguous_or_unknown_one_to_none(folder: Path) -> None:
    terminology = write_terminology(
        [Concept("HP:0000001", "Vell rash"), Concept("DOID:1", "Dorn fever")], folder / "built"
    )
    assert concepts_by_reference(folder, terminology, prefix="UMLS") == {
        "UMLS:C0000001": "HP:0000001",
        "UMLS:C0000002": "DOID:1",
        "UMLS:C0000003": "DOID:1",
    }
    # 1002 leads to two concepts, 1004 to none.
    assert concepts_by_reference(folder, terminology, prefix="SNOMEDCT") == {
        "SNOMEDCT:1001": "HP:0000001",
        "SNOMEDCT:1003": "DOID:1",
    }
