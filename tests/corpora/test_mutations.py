"""linnet finds what an independent parser finds, or refuses: over damaged files of every layout, and over real ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.corpora.independent import bioc, pubtator
from tests.corpora.mutations import CHARACTERS, LINES, Layout, agrees, columns, in_json, mutant, of

from linnet import corpora

SEEDS = 200  # for each layout

# PubTator ---------------------------------------------------------------------------------------------------------------

PUBTATOR = """\
11|t|Gout and ataxia.
11|a|Lung and liver failure after colchicine in mice.
11\t0\t4\tGout\tModifier\tD000001
11\t9\t15\tataxia\tSpecificDisease\tMESH:D000002
11\t17\t39\tLung and liver failure\tDisease\tD000003|D000004\tLung failure|liver failure
11\t46\t56\tcolchicine\tChemical\t-1
11\tCID\tD000005\tD000001

12|t|Ataxia in 17 children
12|a|
12\t0\t6\tAtaxia\tDisease\tD000002
12\tAssociation\tD000002\t1234\tNovel
12\tAssociation\t672\t1234\tNo

13|t|Nothing here
"""
# Titles that end in a space, as in PubTator Central's dumps.
DUMP = """\
21|t|Gout in older mice~
21|a|Gout hurts ageing mice and their lungs.
21\t0\t4\tGout\tDisease\tMESH:D000001
21\t37\t41\tmice\tSpecies\t10090
21\t52\t57\tlungs\tTissue\t
21\t19\t23\tGout\tDisease\tMESH:D000001

22|t|ATM and ataxia~
22|a|The gene ATM (or AT1) is mutated.
22\t0\t3\tATM\tGene\t472(Tax:9606)
22\t24\t27\tATM\tGene\t472;473
""".replace("~", " ")
BLOCKS = """\
31|t|Gout
31|a|It hurts.
31\t0\t4\tGout\tDisease\tD000001

31|t|A lung
31|a|and a liver
31\t{}\t{}\tlung\tDisease\tD000003
31\t{}\t{}\tliver\tDisease\t-
31\tCID\tD000005\tD000001

32|t|Next one
32|a|is ill.
32|b|So are others.
32\t17\t19\tSo\tDisease\tD000004
"""
PUBTATOR_SAMPLES = (PUBTATOR, DUMP, BLOCKS.format(2, 6, 13, 18), BLOCKS.format(17, 21, 28, 33))

# BioC -------------------------------------------------------------------------------------------------------------------


def annotation(id: str, start: int, text: str, **infons: Any) -> dict[str, Any]:
    return {"id": id, "infons": infons, "text": text, "locations": [{"offset": start, "length": len(text)}]}


DOCUMENT: dict[str, Any] = {
    "id": "41",
    "infons": {"journal": "Invented"},
    "passages": [
        {
            "offset": 0,
            "infons": {"type": "title"},
            "text": "Gout in older mice",
            "annotations": [
                annotation("1", 0, "Gout", type="Disease", identifier="MESH:D000001"),
                annotation("2", 14, "mice", type="Species", **{"NCBI Taxonomy": "10090"}),
            ],
            "relations": [],
        },
        {
            "offset": 19,
            "infons": {"type": "abstract"},
            "text": "BRCA1 and lung, liver failure hurt.",
            "sentences": [],
            "annotations": [
                annotation("3", 19, "BRCA1", type="Gene", **{"NCBI Gene identifier": "672"}),
                annotation("4", 42, "failure", type="Disease", note="x", MESH="-"),
                {
                    "id": "5",
                    "infons": {"type": "Disease", "identifier": "D000003|D000004"},
                    "text": "lung failure",
                    "locations": [{"offset": 29, "length": 4}, {"offset": 41, "length": 7}],
                },
            ],
            "relations": [{"id": "R1", "infons": {}, "nodes": [{"refid": "3", "role": "x"}]}],
        },
    ],
}
DOCUMENT["passages"][1]["annotations"][1]["locations"] = [{"offset": 41, "length": 7}]
SENTENCES: dict[str, Any] = {
    "id": 42,
    "infons": {},
    "passages": [
        {
            "offset": 0,
            "infons": {},
            "sentences": [
                {
                    "offset": 0,
                    "text": "Gout hurts.",
                    "annotations": [annotation("1", 0, "Gout", type="Disease", Disease="D000001")],
                },
                {
                    "offset": 12,
                    "text": "Lungs, too.",
                    "annotations": [annotation("2", 12, "Lungs", type="Tissue")],
                },
            ],
            "annotations": [],
        }
    ],
    "annotations": [annotation("3", 19, "too", Type="Other", CUI="C0000001")],
}
COLLECTION = {"source": "Invented", "date": "", "key": "", "infons": {}, "documents": [DOCUMENT, SENTENCES]}
JSON_SAMPLES = (
    json.dumps(COLLECTION, indent=1),
    json.dumps({"PubTator3": [DOCUMENT, SENTENCES]}),
    json.dumps([DOCUMENT, SENTENCES], indent=1),
    "\n".join(map(json.dumps, (DOCUMENT, SENTENCES))) + "\n",
    json.dumps(DOCUMENT, indent=1),
)


def as_xml(tag: str, record: dict[str, Any]) -> list[str]:
    """A record as BioC XML, an element a line."""
    id = record.get("id")
    opening = f"<{tag} id='{id}'>" if tag in ("annotation", "relation") else f"<{tag}>"
    lines = [opening, *([f"<id>{id}</id>"] if tag == "document" else [])]
    lines += [f"<infon key='{key}'>{value}</infon>" for key, value in (record.get("infons") or {}).items()]
    if "offset" in record:
        lines.append(f"<offset>{record['offset']}</offset>")
    lines += [
        f"<location offset='{p['offset']}' length='{p['length']}'/>" for p in record.get("locations", ())
    ]
    if "text" in record:
        lines.append(f"<text>{record['text']}</text>")
    lines += [f"<node refid='{node['refid']}' role='{node['role']}'/>" for node in record.get("nodes", ())]
    for name in ("passage", "sentence", "annotation", "relation"):
        for inner in record.get(f"{name}s") or ():
            lines += as_xml(name, inner)
    return [*lines, f"</{tag}>"]


XML = "\n".join(
    [
        "<?xml version='1.0' encoding='UTF-8'?>",
        "{}",
        "<collection><source>Invented</source><date></date><key></key>",
        *as_xml("document", DOCUMENT),
        *as_xml("document", SENTENCES),
        "</collection>",
        "",
    ]
)
XML_SAMPLES = (
    XML.format("<!DOCTYPE collection SYSTEM 'BioC.dtd'>"),
    XML.format("<!DOCTYPE collection [<!ENTITY gout 'Gout'>]>").replace(">Gout<", ">&gout;<"),
)


def entity(random: Random, text: str) -> str:
    at = random.choice([match.end() for match in re.finditer(r"<text>", text)] or [0])
    return text[:at] + random.choice(("&alpha;", "&#945;", "&amp;", "<!-- x -->", "<i>x</i>")) + text[at:]


def case_of_keys(random: Random, text: str) -> str:
    return re.sub("key='([^']*)'", lambda match: match[0].swapcase().replace("KEY", "key"), text)


LAYOUTS = {
    "pubtator": Layout(
        "pubtator", pubtator.parse, PUBTATOR_SAMPLES, (*LINES, *CHARACTERS, *columns("\t"), *columns("\t"))
    ),
    "biocjson": Layout(
        "biocjson", bioc.parse_json, JSON_SAMPLES, (*LINES, *CHARACTERS, *[in_json] * len(LINES + CHARACTERS))
    ),
    "bioc": Layout("bioc", bioc.parse_xml, XML_SAMPLES, (*LINES, *CHARACTERS, entity, case_of_keys)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_samples_are_read_as_the_independent_parser_reads_them(tmp_path: Path, name: str):
    for text in LAYOUTS[name].samples:
        (tmp_path / "sample").write_bytes(text.encode())
        assert agrees(LAYOUTS[name], tmp_path / "sample")
        assert sum(bool(of(d).spans) for d in corpora.read(tmp_path / "sample", format=name)) > 0


@pytest.mark.parametrize("name", LAYOUTS)
def test_damaged_files_are_read_as_the_independent_parser_reads_them_or_refused(tmp_path: Path, name: str):
    layout, read = LAYOUTS[name], 0
    for seed in range(SEEDS):
        text, done = mutant(layout, seed)
        (tmp_path / "mutant").write_bytes(text.encode())
        try:
            read += agrees(layout, tmp_path / "mutant")
        except Exception as error:
            raise AssertionError(f"seed {seed} ({done}): {error!r}\n{text}") from error
    # Otherwise refusals would prove nothing.
    assert SEEDS // 5 < read < SEEDS


@pytest.mark.data
@pytest.mark.parametrize(
    ("format", "pattern"),
    [
        ("pubtator", "corpora/*/*ubTator*"),
        ("pubtator", "corpora/ncbi-disease/*.txt"),
        ("pubtator", "real-files/pubtator*/*"),
        ("bioc", "real-files/bioc*/*"),
    ],
)
def test_real_files_are_read_as_the_independent_parser_reads_them(data: Path, format: str, pattern: str):
    files = sorted(data.glob(pattern))
    assert files
    for file in files:
        assert agrees(LAYOUTS[format], file), file
