"""With `on_error="skip"`, a malformed row is left out and reported with its line, and the others are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.terminology.readers import test_ctd as ctd
from tests.terminology.readers import test_gene_info as gene_info
from tests.terminology.readers import test_icd10cm as icd10cm
from tests.terminology.readers import test_meddra as meddra

from linnet.terminology.readers import ReadOptions, read
from linnet.types import Concept

Files = dict[str, str]

_TABULAR, _ORDER = "icd10cm-tabular-2099.xml", "icd10cm-order-2099.txt"
_DIAGNOSIS = "<diag><name>B10</name><desc>Sore beak</desc>"
_B1, _B2 = {"code": "B1", "display": "sore beak"}, {"code": "B2", "display": "split beak"}


def _system(*codes: dict[str, str]) -> str:
    head = {"resourceType": "CodeSystem", "url": "http://birds.example/beaks", "content": "complete"}
    return json.dumps({**head, "concept": codes})


# By case: the files, what of them is right, and what is said of the rest.
CASES: dict[str, tuple[Files, Files, list[str]]] = {
    "gene_info": (
        {"gene_info": gene_info.NEW + "9\t7\n" + gene_info.ROW + gene_info.ROW.replace("beak 1", "bill")},
        {"gene_info": gene_info.NEW + gene_info.ROW},
        ["gene_info:2: row has 2 columns", "gene_info:4: GeneID '7' occurs twice"],
    ),
    "ctd": (
        {"CTD_diseases.tsv": ctd.HEADER + "Gout\tMESH:D9\n" + ctd.ROW + ctd.ROW.replace("Bill Ache", "Bill")},
        {"CTD_diseases.tsv": ctd.HEADER + ctd.ROW},
        ["CTD_diseases.tsv:6: row has 2 columns", "CTD_diseases.tsv:8: MESH:D1 occurs twice"],
    ),
    "meddra": (
        {
            "pt.asc": "$Nothing$$21$$$$$$$$\n" + meddra.FILES["pt.asc"],
            "llt.asc": "19$Lost$99$$$$$$$Y$$\n" + meddra.FILES["llt.asc"],
        },
        {},
        ["pt.asc:1: row without code or name", "llt.asc:1: MEDDRA:19 belongs to MEDDRA:99"],
    ),
    "icd10cm, order": (
        {_ORDER: icd10cm.ORDER + "no code\n" + icd10cm.row(5, "B11", 1, "Twice", "Twice")},
        {_ORDER: icd10cm.ORDER},
        [f"{_ORDER}:5: 'no code' has not the layout", f"{_ORDER}:6: B11 occurs twice"],
    ),
    "icd10cm, tabular": (
        {_TABULAR: icd10cm.TABULAR.replace(_DIAGNOSIS, f"<diag><name>B1</name></diag>{_DIAGNOSIS}")},
        {_TABULAR: icd10cm.TABULAR},
        [f"{_TABULAR}:4: <diag> with name 'B1' and description ''"],
    ),
    "fhir": (
        {"beaks.json": _system(_B1, {"display": "no code"}, {"code": "B1", "display": "the same"}, _B2)},
        {"beaks.json": _system(_B1, _B2)},
        ["is a concept without a code", "the code 'B1' occurs twice"],
    ),
    "table": (
        {"drugs.csv": "id,name\nX:1,gout,3\n1.23E+08,rickets\nX:2,\nX:3,asthma\nX:3,2020-03-01\n"},
        {"drugs.csv": "id,name\nX:2,\nX:3,asthma\n"},
        ["drugs.csv:2: row has 3 columns", "drugs.csv:3: the id '1.23E+08'", "drugs.csv:6: the name '2020-03-01' is a date"],
    ),
}  # fmt: skip


def _concepts(folder: Path, files: Files, skipped: list[str]) -> list[Concept]:
    written = {**meddra.FILES, **files} if "pt.asc" in files or not files else files
    folder.mkdir()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    options = ReadOptions(on_error="skip", report=lambda error: skipped.append(str(error)))
    return list(read(folder if len(written) > 1 else folder / min(written), options=options))


@pytest.mark.parametrize(("files", "right", "problems"), CASES.values(), ids=CASES.keys())
def test_a_malformed_row_is_left_out_and_told(
    tmp_path: Path, files: Files, right: Files, problems: list[str]
) -> None:
    skipped: list[str] = []
    found = _concepts(tmp_path / "files", files, skipped)
    assert [any(problem in each for each in skipped) for problem in problems] == [True] * len(problems)
    assert len(skipped) == len(problems)
    assert found == _concepts(tmp_path / "right", right, [])
