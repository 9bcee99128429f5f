"""A refused file is named for what it is, and the commands in the messages work when typed."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.advised import in_options

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read

COLUMNS = "CUI|LAT|TS|LUI|STT|SUI|ISPREF|AUI|SAUI|SCUI|SDUI|SAB|TTY|CODE|STR|SRL|SUPPRESS|CVF"
ROWS = [
    "C9000001|ENG|P|L1|PF|S1|Y|A1||M1|D1|MSH|MH|D1|Glimmer fever|0|N|256",
    "C9000001|SPA|P|L2|PF|S2|Y|A2||M1|D1|MSHSPA|MH|D1|Fiebre|0|N|256",
]
NCIT = "C99901\t<http://x.org/T#C99901>\tC99900\tGlimmer Fever|Glims\tA fever.\t\t\tDisease or Syndrome\t\n"
NCIT_HEADER = (
    "code\tconcept IRI\tparents\tsynonyms\tdefinition\tdisplay name\tconcept status\tsemantic type\tsubset\n"
)


def refusal(folder: Path, content: str, name: str = "source.txt") -> str:
    file = folder / name
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as error:
        detect(file)
    return in_options(error.value)


def typed(folder: Path, message: str, begin: str) -> Path:
    """The file that the command in a message writes."""
    command = message[message.index(begin) :]
    command = re.match(r".*? > (NEW\S*?)(?=[.,]?(?:\s|$))", command)
    assert command, message
    if not shutil.which(begin.split()[0]):
        pytest.skip(f"{begin.split()[0]} is not installed")
    subprocess.run(["bash", "-c", command.group()], cwd=folder, check=True)
    return folder / command[1]


@pytest.mark.parametrize(
    ("delimiter", "begin"),
    [("|", "tail"), (",", "python3"), ("\t", "python3")],
    ids=["bars", "commas", "tabs"],
)
def test_mrconso_with_a_header_says_how_to_write_its_rows(tmp_path: Path, delimiter: str, begin: str) -> None:
    text = "".join(line.replace("|", delimiter) + "\n" for line in (COLUMNS, *ROWS))
    message = refusal(tmp_path, text)
    assert "is UMLS's MRCONSO with a line of column names" in message
    assert [(c.id, c.all_names) for c in read(typed(tmp_path, message, begin))] == [
        ("UMLS:C9000001", ("Glimmer fever",))
    ]


def test_columns_taken_from_mrconso_are_named(tmp_path: Path) -> None:
    message = refusal(tmp_path, "CUI,SAB,STR\nC9000001,MSH,Glimmer fever\n")
    assert "--format table --columns id=CUI name=STR --prefix UMLS" in message


@pytest.mark.parametrize("header", ["", NCIT_HEADER], ids=["old", "new"])
def test_ncits_flat_file_says_how_to_take_out_the_preferred_name(tmp_path: Path, header: str) -> None:
    message = refusal(tmp_path, header + NCIT, "Thesaurus.txt")
    (concept,) = read(typed(tmp_path, message, "awk"), options=ReadOptions(prefix="NCIT"))
    assert (concept.id, concept.all_names) == ("NCIT:C99901", ("Glimmer Fever", "Glims"))


def test_ctds_genes_say_which_columns_to_name(tmp_path: Path) -> None:
    message = refusal(
        tmp_path,
        "# Fields:\n# GeneSymbol\tGeneName\tGeneID\tAltGeneIDs\tSynonyms\n#\nGLMR\tglimmer\t9\t\tG|H\n",
    )
    columns = {"id": 3, "name": 1, "synonyms": [2, 5]}
    assert "--columns id=3 name=1 synonyms=2 synonyms=5 --prefix NCBIGENE" in message
    options = ReadOptions(columns=columns, prefix="NCBIGENE", delimiter="\t")
    (concept,) = read(typed(tmp_path, message, "grep"), format="table", options=options)
    assert (concept.id, concept.all_names) == ("NCBIGENE:9", ("GLMR", "glimmer", "G", "H"))


@pytest.mark.parametrize(
    "content",
    [
        {"_embedded": {"terms": [{"obo_id": "GLI:1", "label": "gout"}]}, "page": {"size": 1}},
        {"responseHeader": {}, "response": {"docs": [{"obo_id": "GLI:1", "label": "gout"}]}},
    ],
    ids=["terms", "search"],
)
def test_answers_of_ols_say_how_to_take_out_their_terms(tmp_path: Path, content: dict[str, object]) -> None:
    message = refusal(tmp_path, json.dumps(content), "ols.json")
    assert "--format jsonl --columns id=obo_id name=label" in message
    options = ReadOptions(columns={"id": "obo_id", "name": "label"})
    (concept,) = read(typed(tmp_path, message, "jq"), format="jsonl", options=options)
    assert (concept.id, concept.name) == ("GLI:1", "gout")


@pytest.mark.parametrize("value", ["gout", ["gout", "podagra"]], ids=["name", "names"])
def test_an_object_of_ids_and_names_says_how_to_make_concepts(tmp_path: Path, value: object) -> None:
    message = refusal(tmp_path, json.dumps({"X:1": value, "X:2": value}), "names.json")
    concepts = list(read(typed(tmp_path, message, "jq")))
    assert [(c.id, c.name) for c in concepts] == [("X:1", "gout"), ("X:2", "gout")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("The patient had gout. She was treated; then she left.\n", "looks like running text"),
        ("gout\nague\n", "each line holds one value, e.g. 'gout'; a terminology has an id and a name per line"),
        ("atc_code,atc_name,ddd\nZ99,gout,1\n", "--columns id=atc_code name=atc_name"),
        ("diseaseId\tdiseaseName\nC9000001\tgout\n", "--columns id=diseaseId name=diseaseName"),
        ("ID\tCOMPOUND_ID\tTYPE\tNAME\tADAPTED\n1\t9\tNAME\tgout\tF\n", "ChEBI's table of names, which numbers its rows"),
    ],
    ids=["prose", "names", "unknown columns", "DisGeNET", "ChEBI"],
)  # fmt: skip
def test_the_message_says_what_the_file_is(tmp_path: Path, content: str, message: str) -> None:
    assert message in refusal(tmp_path, content)
