"""With `on_error="skip"`, a malformed row is left out and reported with its line, and the others are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.terminology.readers import test_ctd as ctd
from tests.terminology.readers import test_gene_info as gene_info
from tests.terminology.readers import test_icd10cm as icd10cm
from tests.terminology.readers import test_meddra as meddra

from linnet.errors import LinnetError
from linnet.terminology.readers import ReadOptions, read


def _written(name: str, text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        file = folder / name
        file.write_text(text, encoding="utf-8")
        return file

    return write


def _meddra(changed: dict[str, str]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        for name, text in {**meddra.FILES, **changed}.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    return write


_SYSTEM = {"resourceType": "CodeSystem", "url": "http://birds.example/beaks", "content": "complete"}
_CODES = [
    {"code": "B1", "display": "sore beak"},
    {"display": "beak without a code"},
    {"code": "B1", "display": "the same code"},
    {"code": "B2", "display": "split beak"},
]
_DIAGNOSIS = "<diag><name>B10</name><desc>Sore beak</desc>"

CASES = {
    "gene_info": (
        _written("gene_info", gene_info.NEW + "9\t7\n" + gene_info.ROW + gene_info.ROW),
        ["BEAK1"],
        ["gene_info:2: row has 2 columns", "gene_info:4: GeneID '7' occurs twice"],
    ),
    "ctd": (
        _written("CTD_diseases.tsv", ctd.HEADER + "Gout\tMESH:D9\n" + ctd.ROW + ctd.ROW),
        ["Sore Beak"],
        ["CTD_diseases.tsv:6: row has 2 columns", "CTD_diseases.tsv:8: MESH:D1 occurs twice"],
    ),
    "meddra, a term": (
        _meddra({"pt.asc": "$Nothing$$21$$$$$$$$\n" + meddra.FILES["pt.asc"]}),
        ["Beak disorders", "Bird disorders", "Head disorders", "Sore beak"],
        ["pt.asc:1: row without code or name"],
    ),
    "meddra, a lowest level term": (
        _meddra({"llt.asc": "19$Lost$99$$$$$$$Y$$\n" + meddra.FILES["llt.asc"]}),
        ["Beak disorders", "Bird disorders", "Head disorders", "Sore beak"],
        ["llt.asc:1: MEDDRA:19 belongs to MEDDRA:99"],
    ),
    "icd10cm, order": (
        _written("icd10cm-order-2099.txt", icd10cm.ORDER + "no code\n" + icd10cm.row(5, "B11", 1, "Other", "Other beak")),
        ["Other beak", "Sore beak", "Sore beak of bird", "Sore beak of bird, initial encounter"],
        ["icd10cm-order-2099.txt:5: 'no code' has not the layout", "icd10cm-order-2099.txt:6: B11 occurs twice"],
    ),
    "icd10cm, tabular": (
        _written(
            "icd10cm-tabular-2099.xml", icd10cm.TABULAR.replace(_DIAGNOSIS, f"<diag><name>B1</name></diag>{_DIAGNOSIS}")
        ),
        ["Sore beak", "Sore beak & bird"],
        ["icd10cm-tabular-2099.xml:4: <diag> with name 'B1' and description ''"],
    ),
    "fhir": (
        _written("beaks.json", json.dumps({**_SYSTEM, "concept": _CODES})),
        ["sore beak", "split beak"],
        ["is a concept without a code", "the code 'B1' occurs twice"],
    ),
    "table": (
        _written("drugs.csv", "id,name\nX:1,gout,3\n1.23E+08,rickets\nX:2,2020-03-01\nX:3,asthma\n"),
        ["asthma"],
        ["drugs.csv:2: row has 3 columns", "drugs.csv:3: the id '1.23E+08'", "drugs.csv:4: the name '2020-03-01' is a date"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("write", "names", "problems"), CASES.values(), ids=CASES.keys())
def test_a_malformed_row_is_left_out_and_told(
    tmp_path: Path, write: Callable[[Path], Path], names: list[str], problems: list[str]
) -> None:
    skipped: list[LinnetError] = []
    options = ReadOptions(on_error="skip", report=skipped.append)
    found = sorted(concept.name for concept in read(write(tmp_path), options=options) if concept.name)
    assert found == names
    told = [str(error).replace(f"{tmp_path}/", "") for error in skipped]
    assert [any(problem in each for each in told) for problem in problems] == [True] * len(problems), told
