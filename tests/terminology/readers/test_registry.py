"""One contract for every format: what is refused, and how it is said."""

from pathlib import Path

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.terminology.readers import ReadOptions, detect, read, readers

DIRECTORIES = {"umls", "rxnorm", "omop", "rf2", "meddra"}


@pytest.mark.parametrize("name", sorted(readers))
def test_an_empty_file_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "empty"
    file.write_bytes(b"")
    with pytest.raises(DataError):
        list(read(file, format=name))


@pytest.mark.parametrize("name", sorted(readers))
def test_a_missing_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "none", format=name)


@pytest.mark.parametrize("name", sorted(set(readers) - {"mesh", "icd10cm"} - DIRECTORIES))
def test_a_directory_is_refused_where_a_file_is_expected(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="is a directory"):
        list(read(tmp_path, format=name))


@pytest.mark.parametrize("name", sorted(set(readers) - DIRECTORIES))
@pytest.mark.parametrize(
    "junk", [b"\x80\x81\xff\n" * 9, b"%PDF-1.7\n1 0 obj\n", b"PK\x03\x04\x00\x00", b"\x1f\x8b\x08"]
)
def test_junk_is_refused_with_a_data_error(tmp_path: Path, name: str, junk: bytes) -> None:
    file = tmp_path / "junk"
    file.write_bytes(junk)
    with pytest.raises(DataError):
        list(read(file, format=name))


@pytest.mark.parametrize("name", sorted(readers))
def test_an_option_a_format_cannot_honour_is_refused_at_once(tmp_path: Path, name: str) -> None:
    choices = {
        "trees": ReadOptions(trees={"C"}),
        "standard": ReadOptions(standard=True),
        "vocabularies": ReadOptions(vocabularies={"MSH"}),
        "languages": ReadOptions(languages={"ENG"}),
        "scopes": ReadOptions(scopes={"exact"}),
        "columns": ReadOptions(columns={"id": "x"}),
        "permuted": ReadOptions(permuted=True),
        "prefix": ReadOptions(prefix="X"),
    }
    for option, options in choices.items():
        if option not in readers[name].honours:
            with pytest.raises(RequestError, match=f"Format '{name}' does not support the option '{option}'"):
                read(tmp_path, format=name, options=options)


def test_an_unknown_format_lists_the_choices(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'obo'"):
        read(tmp_path, format="oboe")


def test_options_that_are_none_are_refused() -> None:
    with pytest.raises(RequestError, match="Unknown synonym scope 'wide'"):
        ReadOptions(scopes={"wide"})
    with pytest.raises(RequestError, match="expected 'stop' or 'skip'"):
        ReadOptions(on_error="ignore")  # type: ignore[arg-type]


def test_type_natural_order_and_prefixes_apply_to_any_format(tmp_path: Path) -> None:
    file = tmp_path / "medic.txt"
    file.write_text("D1||Anemia, Aplastic\n104300||Foo\n")
    options = ReadOptions(type="Disease", permuted=True, only_prefixes={"MESH"})
    (concept,) = read(file, options=options)
    assert (concept.types, concept.names) == (("Disease",), ("Aplastic Anemia",))


def test_filters_that_keep_nothing_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "medic.txt"
    file.write_text("D1||Foo\n")
    with pytest.raises(DataError, match="1 concept, none of which the filters keep"):
        list(read(file, options=ReadOptions(only_prefixes={"HP"})))


def test_every_reader_says_what_it_reads() -> None:
    assert all(reader.title for reader in readers.values())


@pytest.mark.parametrize("text", ["", " \n \n", "\ufeff"])
def test_an_empty_file_has_no_format(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="the file is empty"):
        detect(file)


@pytest.mark.parametrize("text", ["just prose\n", 'id,"name\n'])
def test_an_unclear_file_lists_the_formats(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x"
    file.write_text(text)
    with pytest.raises(
        DataError, match=r"Formats: ctd, fhir, gene_info, gilda", check=advises(Step.READ_WITH, format="NAME")
    ):
        detect(file)


def test_standard_input_and_unknown_directories_need_a_format(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="format of standard input cannot be detected"):
        detect("-")
    with pytest.raises(DataError, match="the directory is empty"):
        detect(tmp_path)


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("medic/medic_06Jul2012.txt", "medic"),
        ("medic/medic_2021plus.dictionary.txt", "medic"),
        ("mesh2024/desc2024.rebuilt.xml.gz", "mesh"),
        ("mesh2024/supp2024.rebuilt.xml.gz", "mesh"),
        ("mesh2024", "mesh"),
        ("doid/doid.obo.gz", "obo"),
        ("other/symp.json", "obograph"),
        ("mondo_sources/ordo-2_6-2018-07-12.json.gz", "obograph"),
        ("hpo/hp.json", "jsonl"),
        ("biolexica/anatomy.ssslm.tsv.gz", "ssslm"),
        ("other/Homo_sapiens.gene_info.gz", "gene_info"),
        ("doid/HumanDO.tsv", "table"),
        ("mesh2024/chemicals.tsv.gz", "table"),
    ],
)
def test_real_files_are_recognised(data: Path, file: str, name: str) -> None:
    assert detect(data / "terminologies" / file) == name


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.obo",
            "format-version: 1.2\n\n[Term]\nid: X:1\nname: Ärger\n\n[Term]\nid: X:2\nname: Gout\nis_a: X:1\n",
        ),
        ("a.csv", "id,name,parents\nX:1,Ärger,\nX:2,Gout,X:1\n"),
        ("a.tsv", "id\tname\tparents\nX:1\tÄrger\t\nX:2\tGout\tX:1"),
        ("a.jsonl", '{"id": "X:1", "name": "Ärger"}\n{"id": "X:2", "name": "Gout", "parents": ["X:1"]}\n'),
        (
            "a.json",
            '{"graphs": [{"nodes": [{"id": "X:1", "lbl": "Ärger"},\n{"id": "X:2", "lbl": "Gout"}],\n'
            '"edges": [{"sub": "X:2", "pred": "is_a", "obj": "X:1"}]}]}\n',
        ),
    ],
)
def test_files_of_windows_programs_are_read_as_others_are(
    tmp_path: Path, name: str, text: str, end: str, encoding: str
) -> None:
    mark = "\ufeff" if encoding != "utf-8-sig" else ""
    (tmp_path / name).write_bytes((mark + text.replace("\n", end)).encode(encoding))
    found = [(one.id, one.name, one.parents) for one in read(tmp_path / name)]
    assert found == [("X:1", "Ärger", ()), ("X:2", "Gout", ("X:1",))]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.csv", b"id,name\rX:1,Gout\r", r"bare carriage return.*tr "),
        ("a.csv", b"id,name,Name\nX:1,Gout,podagra\n", "the column 'name' occurs twice"),
        (
            "a.csv",
            b"id,name\nX:1," + b"a" * 10_000_001 + b"\n",
            r"a\.csv:2: a field has more than 10,000,000 characters",
        ),
        ("a.csv", "\ufeffid,name\n".encode("utf-16-le") + b"\x00", "begins as UTF-16.*Save it as UTF-8"),
        (
            "a.owl",
            b'<?xml version="1.0"?>\n<rdf:RDF>\n</rdf:RDF>',
            r"robot convert --input a\.owl --output a\.obo",
        ),
        ("a.jsonl", b'{"id": "X:1", "name": ' + b"1" * 5000 + b"}", r"a\.jsonl:1: not valid JSON"),
        (
            "a.jsonl",
            b'{"id": "X:1", "name": ' + b"[" * 100_000 + b"}",
            r"a\.jsonl:1: not valid JSON",
        ),
        ("a.json", b'{"graphs": ' + b"[" * 100_000, r"not valid JSON"),
    ],
)
def test_odd_files_are_refused_with_what_to_do(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=says):
        list(read(tmp_path / name))


def test_names_of_any_length_are_read(tmp_path: Path) -> None:
    name = "long " * 40_000
    (tmp_path / "a.obo").write_text(f'[Term]\nid: X:1\nname: Gout\nsynonym: "{name}" EXACT []\n')
    (tmp_path / "a.csv").write_text(f"id,name\nX:1,{name}\n")
    assert [one.names for one in read(tmp_path / "a.obo")] == [(name.strip(),)]
    assert [one.name for one in read(tmp_path / "a.csv")] == [name.strip()]
