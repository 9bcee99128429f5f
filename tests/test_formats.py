"""docs/formats.md names every format; refusals.tsv has what linnet says of each file that it refuses."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from linnet import corpora
from linnet.cli import main
from linnet.jobs import outputs
from linnet.terminology import readers

PAGE = (Path(__file__).parents[1] / "docs" / "formats.md").read_text(encoding="utf-8")
_LINES = Path(__file__).with_name("refusals.tsv").read_text(encoding="utf-8").splitlines()
MESSAGES = {name: message for name, _, message in (line.partition("\t") for line in _LINES)}


def _zip(**members: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return packed.getvalue()


def _documents(concepts: str, number: int = 1) -> str:
    row = '{{"id": "{0}", "text": "Gout", "mentions": [{{"start": 0, "end": 4, "type": "Disease", "concepts": [{1}]}}]}}\n'
    return "".join(row.format(place, concepts.format(place)) for place in range(number))


_XML = '<?xml version="1.0"?>\n'
_TURTLE = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<http://x.example/o> a owl:Ontology .\n"
_OWL = f'{_XML}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF>\n'
_COMPOSED = '{"include": [{"system": "http://snomed.info/sct", "filter": [{"property": "concept", "op": "is-a", "value": "1"}]}]}'
_STY = "C0000005|T047|B2.2.1.2.1|Disease or Syndrome|AT1|256|\n"
_CONSO = "C0000005|ENG|P|L1|PF|S1|Y|A1||M1|D1|MSH|PEN|D1|Gout|0|N|256|\n"
_CONCEPT = (
    "concept_id\tconcept_name\tdomain_id\tvocabulary_id\tconcept_class_id\tstandard_concept\tconcept_code\t"
    "valid_start_date\tvalid_end_date\tinvalid_reason\n1\tGout\tCondition\tSNOMED\tDisorder\tS\t1\t\t\t\n"
)
_PUBTATOR = "1|t|Gout\n1|a|\n1\t{}\t{}\t{}\tDisease\tD006073\n"

# Name of the file → its content, and the command that refuses it.
_LINK, _BUILD, _EVALUATE = "link {} -t terms", "terminology build {} -o out", "evaluate {} -t terms"
REFUSED: dict[str, tuple[str | bytes, str]] = {
    # texts and corpora
    "patients.txt": ("id\tdiagnosis\tage\n1\tgout\t50\n2\tasthma\t61\n", _LINK),
    "names.txt": ("heart attack\ngout\nasthma\n", _LINK),
    "names.csv": ("heart attack\ngout\nasthma\n", _LINK),
    "visits.csv": ("visit,remark\n1,gout\n", _LINK),
    "articles.json": ('{"title": "Gout", "body": "The patient had gout for years."}\n', _LINK),
    "array.json": ('[{"id": "1", "text": "Gout hurts."}]\n', _LINK),
    "object.txt": ("{'id': '1', 'text': 'Gout hurts.'}\n", _LINK),
    "mail.txt": ("Received: from here\nSubject: Gout\n\nGout hurts.\n", _LINK),
    "late.txt": ("# from a tool\n" + _PUBTATOR.format(0, 4, "Gout"), _LINK),
    "notes.xml": (f"{_XML}<notes><note>Gout hurts.</note></notes>\n", _LINK),
    "page.html": ("<!DOCTYPE html><html><body>Gout hurts.</body></html>\n", _LINK),
    "article.nxml": (f"{_XML}<article><front/></article>\n", _LINK),
    "refs.ris": ("TY  - JOUR\nTI  - Gout\nER  - \n", _LINK),
    "bundle.json": ('{"resourceType": "Bundle", "entry": []}\n', _LINK),
    "ann.json": ('{"annotatable": {"parts": ["s1"]}, "anncomplete": true, "sources": [], "entities": [], "relations": []}\n', _LINK),
    "terms.ttl": (_TURTLE, _LINK),
    "span.txt": (_PUBTATOR.format(0, 9, "Gout"), _LINK),
    "start.txt": (_PUBTATOR.format("0.0", 4, "Gout"), _LINK),
    "alpha.xml": (
        f"{_XML}<collection><document><id>1</id><passage><offset>0</offset><text>&alpha;-thalassemia</text></passage></document></collection>\n",
        _LINK,
    ),
    "abstract.txt": ("The patient had a na\u00efve form of gout.\n".encode("latin-1"), _LINK),
    "plain.jsonl": ('{"id": "1", "text": "Gout hurts."}\n', "link {} -t terms --mentions"),
    # packed and binary files
    "report.pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", _LINK),
    "report.docx": (_zip(word__document_dot_xml="<w/>"), _LINK),
    "old.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504), _LINK),
    "texts.7z": (b"7z\xbc\xaf'\x1c\x00\x04", _LINK),
    "texts.zst": (b"\x28\xb5\x2f\xfd\x00\x00", _LINK),
    "texts.zip": (_zip(a_dot_txt="Gout hurts.", b_dot_txt="Asthma, too."), _LINK),
    "cut.txt.gz": (gzip.compress(b"The patient had gout. " * 500)[:-20], _LINK),
    "texts.db": (b"SQLite format 3\x00" + bytes(100), _LINK),
    # terminologies
    "codes.tsv": ("code\tmeaning\nX:1\tgout\n", _BUILD),
    "synonyms.csv": ("id,synonyms\nX:1,gout|podagra\n", _BUILD),
    "labels.csv": ("id,name,label\nX:1,gout,Gout\n", _BUILD),
    "bars.txt": ("X:1|gout|a|b\nX:2|asthma|a|b\n", _BUILD),
    "short.txt": ("MED||gout|podagra\nASM||asthma\n", _BUILD),
    "items.json": ('{"key": "X:1", "value": "gout"}\n', _BUILD),
    "corpus.jsonl": ('{"id": "1", "text": "Gout hurts.", "mentions": []}\n', _BUILD),
    "onto.ttl": (_TURTLE, _BUILD),
    "onto.owl": (_OWL, _BUILD),
    "login.html": ("<!DOCTYPE html><html><body>Sign in</body></html>\n", _BUILD),
    "patient.json": ('{"resourceType": "Patient", "id": "p"}\n', _BUILD),
    "rules.json": (f'{{"resourceType": "ValueSet", "id": "gouts", "compose": {_COMPOSED}}}\n', _BUILD),
    "MRSTY.RRF": (_STY, _BUILD),
    "diseases.csv": (_CONCEPT, _BUILD),
    "CONCEPT_SYNONYM.csv": ("concept_id\tconcept_synonym_name\tlanguage_concept_id\n1\tpodagra\t4180186\n", _BUILD),
    "sct2_Concept_Snapshot_INT_20260101.txt": ("id\teffectiveTime\tactive\tmoduleId\tdefinitionStatusId\n", _BUILD),
    "map.sssom.tsv": ("subject_id\tpredicate_id\tobject_id\tmapping_justification\nX:1\tskos:exactMatch\tY:1\tx\n", _BUILD),
    "doid.obo": ("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 3\n", _BUILD),
    "two.zip": (_zip(a_dot_tsv="id\tname\nX:1\tgout\n", b_dot_tsv="id\tname\nX:2\tasthma\n"), _BUILD),
    "release.zip": (_zip(MRCONSO_dot_RRF=_CONSO, CONCEPT_dot_csv=_CONCEPT), _BUILD),
    "twice.zip": (_zip(MRCONSO_dot_RRF=_CONSO, MRCONSO_dot_RRF_dot_gz="x"), _BUILD),
    "mesh.csv": ("id,name\nX:1,gout\n", "terminology build {} -o out --trees C"),
    # where gold is wanted
    "texts.txt": ("The patient had gout for years and was treated.\n", _EVALUATE),
    "spans.jsonl": ('{"id": "1", "text": "Gout hurts.", "year": 2001, "markables": 1, "annotations": [{"from": 0, "to": 4}]}\n', _EVALUATE),
    "rejected.jsonl": ('{"text": "Gout hurts.", "spans": [{"start": 0, "end": 4, "label": "Disease"}], "answer": "reject"}\n', _EVALUATE),
    "phrases.csv": ("phrase,code\ngout,D006073\n", "evaluate {} -t terms --column phrase"),
    "linked.jsonl": ('{"text": "Gout", "concepts": ["X:1"], "probability": 0.9, "candidates": []}\n', _EVALUATE),
    "nil.jsonl": (_documents(""), _EVALUATE),
    "snomed.jsonl": (_documents('"SNOMEDCT:{}"', 20), _EVALUATE),
    "meddra.jsonl": (_documents('"MEDDRA:{}"', 20), "terminology augment terms --corpus {} -o out"),
    "theirs.jsonl": (
        '{"document": "9", "start": 0, "end": 4, "text": "Gout", "concepts": ["X:1"]}\n',
        "evaluate gold.jsonl -t terms --predictions {}",
    ),
    "deny.txt": ("X:9\n", "link gold.jsonl -t terms --deny {}"),
}  # fmt: skip


@pytest.fixture(scope="module")
def terms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small terminology with its indexes."""
    folder = tmp_path_factory.mktemp("terms")
    (folder / "terms.csv").write_text("id,name\nX:1,Gout\nX:2,Asthma\n", encoding="utf-8")
    for words in (("terminology", "build", "terms.csv", "-o", "terms"), ("index", "terms")):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            assert _run(patch, *words) == 0
    return folder / "terms"


def _run(patch: pytest.MonkeyPatch, *words: str) -> object:
    patch.setattr(sys, "argv", ["linnet", *words])
    try:
        main()
    except SystemExit as end:
        return end.code
    return 0


@pytest.fixture
def refusal(
    terms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """The message for a file of `REFUSED`."""

    def message(name: str) -> str:
        content, command = REFUSED[name]
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        (tmp_path / "gold.jsonl").write_text(_documents('"X:1"'), encoding="utf-8")
        (tmp_path / "terms").symlink_to(terms)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "1000")
        code = _run(monkeypatch, *command.format(name).split())
        error = capfd.readouterr().err.strip()
        assert (code, error[:7]) == (1, "Error: "), error
        return error.removeprefix("Error: ")

    return message


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_file_is_named_with_what_to_do_next(name: str, refusal: Callable[[str], str]) -> None:
    assert refusal(name) == MESSAGES[name]


def test_the_page_names_every_format() -> None:
    named = {*corpora.readers, *corpora.writers, *outputs.formats(), *readers.readers}
    assert [name for name in sorted(named) if f"`{name}`" not in PAGE] == []
