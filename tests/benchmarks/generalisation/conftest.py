"""Invented files where the real terminologies lie."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

SSSOM = "subject_id\tpredicate_id\tobject_id\n"
NAMES = (
    "text\tcurie\tname\tpredicate\ttype\tprovenance\tcontributor\tdate\tlanguage\tcomment\tsource\n"
    "dorn ill\tmondo:1\tDorn fever\trdfs:label\t\t\t\t\ten\t\tmondo\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "hpo/hp-2025-01-16.obo.gz": "[Term]\nid: HP:0000001\nname: Vell rash\n"
        "xref: UMLS:C0000001\nxref: SNOMEDCT_US:1001\nxref: SNOMEDCT_US:1002\n",
        "doid/doid.obo.gz": "[Term]\nid: DOID:1\nname: Dorn fever\nxref: UMLS_CUI:C0000002\n"
        "xref: SNOMEDCT_US_2020_03_01:1002\n",
        "biolexica/phenotype.ssslm.tsv.gz": NAMES,
        "mondo/mondo_exactmatch_doid.sssom.tsv": SSSOM + "MONDO:1\tskos:exactMatch\tDOID:1\n",
        "mondo/mondo_exactmatch_umls.sssom.tsv": SSSOM + "MONDO:1\tskos:exactMatch\tUMLS:C0000003\n",
        "mondo/xrefs.tsv": 'cls\txref\nMONDO:1\t"SCTID:1003"\nMONDO:1\t"GARD:1"\nMONDO:2\t"SCTID:1004"\n',
    }
    for name, text in files.items():
        path = tmp_path / "terminologies" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return tmp_path / "terminologies"
