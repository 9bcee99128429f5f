"""linnet finds what an independent parser finds, or refuses: linnet's own formats, BRAT, CoNLL, TeXoo, BigBio and tables."""

from __future__ import annotations

import gzip
import json
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.corpora.independent import brat, collections_json, conll, jsonl, tables
from tests.corpora.mutations import CHARACTERS, LINES, Layout, Mutation, agrees, columns, in_json, mutant, of

from linnet import corpora
from linnet.errors import DataError

SEEDS = 200  # for each layout
TEXT = "Gout in older mice.\nLung and liver failure 😀 after colchicine hurts."

BRAT = """\
T1\tDisease 0 4\tGout
TT1\tDisease 20 24;35 42\tLung failure
T3\tC0018099 0 4\tGout
T4\tChemical 51 61\tcolchicine
N1\tReference T1 MESH:D006073\tGout
#1\tAnnotatorNotes TT1\tC0018099
#2\tAnnotatorNotes T4\tnot sure
R1\tCauses Arg1:T1 Arg2:T4
A1\tNegated T1
"""
BIONLP = """\
T1\tHabitat 14 18\tmice
T2\tDisease 29 42\tliver failure
N1\tOntoBiotope Annotation:T1 Referent:OBT:000001
E1\tCause:T2
*\tEquiv T1 T2
"""
CONLL = """\
-DOCSTART- -X- O O

Gout NN B-NP B-Disease
hurts VB B-VP O
. . O O

Lung NN B-NP B-Disease
failure NN I-NP I-Disease
and CC O O
gout NN B-NP B-Disease
"""
IOBES = """\
-DOCSTART-\t11\tO

Gout\tS-Disease
hurts\tO

Acute\tB-Disease
liver\tI-Disease
failure\tE-Disease
.\tO

-DOCSTART-\t12\tO

Colchicine\tU-Chemical
#\tO
"""
DOCUMENTS: list[dict[str, Any]] = [
    {
        "id": "d1",
        "text": TEXT,
        "mentions": [
            {"start": 0, "end": 4, "text": "Gout", "type": "Disease", "concepts": ["MESH:D006073"]},
            {"start": 14, "end": 18, "text": "mice", "type": "Species", "concept": "10090"},
            {"start": 51, "end": 61, "type": "Chemical", "concepts": []},
        ],
        "year": 2001,
    },
    {"text": "Asthma hurts.", "mentions": [{"start": 0, "end": 6, "cui": "C0004096"}]},
    {"id": 7, "text": "Nothing.", "mentions": []},
]
MENTIONS: list[dict[str, Any]] = [
    {"id": "m1", "text": "AT", "left": "ATM and (", "right": ").", "document": "9", "type": "Disease", "concepts": ["T:1"]},
    {"id": "m2", "text": "gout 😀", "left": "", "concept": "-1"},
    {"text": "lung failure", "concepts": "D000001+D000002"},
]  # fmt: skip
TEXOO: dict[str, Any] = {
    "name": "invented",
    "documents": [
        {
            "id": "t1",
            "text": TEXT,
            "annotations": [
                {"begin": 0, "length": 4, "text": "Gout", "type": "Disease", "source": "GOLD", "refId": "MESH:D006073"},
                {"class": "MentionAnnotation", "begin": 14, "length": 4, "text": "mice", "source": "PRED", "confidence": 0.5},
                {"class": "SectionAnnotation", "begin": 0, "length": 19},
            ],
        },
        {"text": "Asthma.", "annotations": [{"begin": 0, "length": 6}]},
    ],
}  # fmt: skip
BIGBIO: list[dict[str, Any]] = [
    {
        "id": "0",
        "document_id": "b1",
        "passages": [
            {"id": "0-1", "type": "title", "text": ["Gout in older mice."], "offsets": [[0, 19]]},
            {"id": "0-2", "type": "abstract", "text": ["Lungs hurt."], "offsets": [[20, 31]]},
        ],
        "entities": [
            {"id": "e1", "type": "Disease", "text": ["Gout"], "offsets": [[0, 4]], "normalized": [{"db_name": "MESH", "db_id": "D006073"}]},
            {"id": "e2", "type": "Tissue", "text": ["Lungs"], "offsets": [[20, 25]], "normalized": []},
            {"id": "e3", "type": "X", "text": ["Gout", "mice"], "offsets": [[0, 4], [14, 18]], "normalized": []},
        ],
        "events": [], "coreferences": [], "relations": [],
    },
    {"id": "1", "document_id": "b2", "passages": [{"text": ["Asthma."], "offsets": [[0, 7]]}], "entities": []},
]  # fmt: skip
TABLE = [
    ["phrase", "concept", "type"],
    ["heart attack", "22298006", "Disease"],
    [" could not sleep", "SCTID:193462001|D000001", ""],
    ["gout 😀", "", "Disease"],
    ["", "D006073", "Disease"],
    ["asthma, mild", "-1", "x"],
]


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def below_header(mutation: Mutation) -> Mutation:
    """The mutation of everything but the first line, which says what the columns are."""

    def mutated(random: Random, text: str) -> str:
        header, _, rest = text.partition("\n")
        return f"{header}\n{mutation(random, rest) if rest else rest}"

    mutated.__name__ = mutation.__name__
    return mutated


ANY = (*LINES, *CHARACTERS)
JSON_TOO = (*ANY, *[in_json] * len(ANY))
CSV = "\n".join(",".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in TABLE) + "\n"
TSV = "\n".join("\t".join(row) for row in TABLE) + "\n"
LAYOUTS = {
    "brat": Layout("brat", partial(brat.parse, text=TEXT, id="mutant"), (BRAT, BIONLP), (*ANY, *columns("\t"), *columns(" "))),
    "conll": Layout("conll", conll.parse, (CONLL, IOBES), (*ANY, *columns("\t"), *columns(" "))),
    "jsonl": Layout("jsonl", jsonl.parse_documents, (lines(DOCUMENTS),), JSON_TOO),
    "mentions": Layout("mentions", jsonl.parse_mentions, (lines(MENTIONS),), JSON_TOO),
    "texoo": Layout("texoo", collections_json.parse_texoo, (json.dumps(TEXOO), json.dumps(TEXOO["documents"], indent=1)), JSON_TOO),
    "bigbio": Layout("bigbio", collections_json.parse_bigbio, (json.dumps(BIGBIO, indent=1), lines(BIGBIO)), JSON_TOO),
    "csv": Layout("table", partial(tables.parse, separator=","), (CSV,), tuple(map(below_header, (*ANY, *columns(","))))),
    "tsv": Layout("table", partial(tables.parse, separator="\t"), (TSV,), tuple(map(below_header, (*ANY, *columns("\t"))))),
}  # fmt: skip
ENDINGS = {"brat": ".ann", "csv": ".csv", "tsv": ".tsv"}


def placed(folder: Path, name: str, text: str) -> Path:
    """The text in a file called as its format has it; BRAT's text beside it."""
    path = folder / f"mutant{ENDINGS.get(name, '')}"
    path.write_bytes(text.encode())
    if name == "brat":
        path.with_suffix(".txt").write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", LAYOUTS)
def test_samples_are_read_as_the_independent_parser_reads_them(tmp_path: Path, name: str):
    for text in LAYOUTS[name].samples:
        path = placed(tmp_path, name, text)
        assert agrees(LAYOUTS[name], path)
        assert corpora.detect(path) == LAYOUTS[name].format
        assert sum(len(of(document).spans) for document in corpora.read(path)) > 1


@pytest.mark.parametrize("name", LAYOUTS)
def test_damaged_files_are_read_as_the_independent_parser_reads_them_or_refused(tmp_path: Path, name: str):
    layout, read = LAYOUTS[name], 0
    for seed in range(SEEDS):
        text, done = mutant(layout, seed)
        path = placed(tmp_path, name, text)
        try:
            read += agrees(layout, path)
        except Exception as error:
            raise AssertionError(f"seed {seed} ({done}): {error!r}\n{text}") from error
    # Otherwise refusals would prove nothing.
    assert SEEDS // 6 < read < SEEDS


def told(file: Path) -> str:
    try:
        return corpora.detect(file)
    except DataError:
        return "refused"


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "pattern"),
    [("jsonl", "corpora/*/*.jsonl*"), ("mentions", "corpora/*/*.jsonl*")],
)
def test_real_files_are_read_as_the_independent_parser_reads_them(
    data: Path, tmp_path: Path, name: str, pattern: str
):
    files = [file for file in sorted(data.glob(pattern)) if told(file) == name]
    assert files
    for file in files:
        packed = file.read_bytes()
        path = tmp_path / "unpacked.jsonl"
        path.write_bytes(gzip.decompress(packed) if file.suffix == ".gz" else packed)
        assert agrees(LAYOUTS[name], path), file


@pytest.mark.data
def test_every_corpus_is_told_without_help(data: Path):
    files = [file for file in sorted(data.glob("corpora/*/*")) if file.is_file()]
    assert len(files) > 8
    for file in files:
        assert told(file) != "text", file
