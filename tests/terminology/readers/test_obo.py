import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.advised import in_options

from linnet.advice import Note
from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, read

HEADER = "format-version: 1.2\nontology: bird\n\n"
TERM = r"""[Term]
id: BIRD:1
name: sore beak
namespace: bird_disease
alt_id: BIRD:9
def: "A \"sore\" beak." [PMID:1, PMID:\ 2] {source="x"}
synonym: "beak pain" EXACT ABBR [PMID:1]
synonym: "pain" BROAD []
synonym: "tip pain" NARROW []
synonym: "bill ache" RELATED []
property_value: alternative:term "beakache" xsd:string
xref: UMLS_CUI:C0000001 {source="y"}
xref: MetaCyc:two words "SUBMITTER"
xref: http://bird.example/1
is_a: BIRD:2 {x="y"} ! disease
relationship: part_of BIRD:3 ! beak

[Term]
id: BIRD:2
name: disease

[Typedef]
id: part_of
name: part of
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "bird.obo"
    file.write_text(HEADER + text, encoding="utf-8")
    return file


def test_a_term_has_names_by_scope_definition_parents_and_xrefs(tmp_path: Path) -> None:
    concept = next(read(write(tmp_path, TERM)))
    assert (concept.id, concept.name) == ("BIRD:1", "sore beak")
    assert concept.names == ("beak pain", "tip pain", "bill ache", "beakache")
    assert concept.definition == 'A "sore" beak.'
    assert (concept.parents, concept.types) == (("BIRD:2",), ("bird_disease",))
    assert concept.xrefs == ("UMLS:C0000001", "MetaCyc:two words")
    assert concept.sources == ("BIRD",)


def test_scopes_choose_the_synonyms(tmp_path: Path) -> None:
    concept = next(read(write(tmp_path, TERM), options=ReadOptions(scopes={"broad"})))
    assert concept.all_names == ("sore beak", "pain")


def test_annotation_properties_give_names_definition_successor_and_xrefs(tmp_path: Path) -> None:
    text = """[Term]
id: BIRD:1
name: sore beak
property_value: symbol "SOBE" xsd:string
property_value: skos:altLabel "beak ache" xsd:string
property_value: http://www.ebi.ac.uk/efo/definition "A beak that hurts." xsd:string
property_value: exactMatch MESH:D000001 xsd:string
property_value: skos:exactMatch UMLS:C0000001
property_value: dc:date "2099" xsd:string

[Term]
id: BIRD:2
name: obsolete bill ache
is_obsolete: true
property_value: IAO:0100001 BIRD:1
"""
    first, second = read(write(tmp_path, text))
    assert (first.names, first.definition) == (("SOBE", "beak ache"), "A beak that hurts.")
    assert first.xrefs == ("MESH:D000001", "UMLS:C0000001")
    assert second.replaced_by == ("BIRD:1",)


def test_qualifiers_are_no_part_of_a_name_and_a_second_name_is_a_further_one(tmp_path: Path) -> None:
    text = '[Term]\nid: BIRD:1\nsynonym: "ache" EXACT []\nname: sore beak {xref="PMID:1", x="y"}\nname: 2-{1-[beak]}\n'
    (concept,) = read(write(tmp_path, text))
    assert concept.all_names == ("sore beak", "2-{1-[beak]}", "ache")


def test_individuals_are_told(tmp_path: Path) -> None:
    notices: list[str] = []
    text = "[Term]\nid: BIRD:1\nname: robin\n\n[Instance]\nid: BIRD:2\nname: my robin\n"
    assert len(list(read(write(tmp_path, text), options=ReadOptions(notice=notices.append)))) == 1
    assert "1 individual ([Instance]) not read" in notices[0]


def test_relations_are_no_concepts_and_alternative_ids_lead_to_theirs(tmp_path: Path) -> None:
    concepts = {c.id: c for c in read(write(tmp_path, TERM))}
    assert set(concepts) == {"BIRD:1", "BIRD:2", "BIRD:9"}
    assert (concepts["BIRD:9"].name, concepts["BIRD:9"].replaced_by) == ("", ("BIRD:1",))


def test_obsolete_terms_lead_to_their_successors(tmp_path: Path) -> None:
    def gone(id: str, more: str) -> str:
        return f"[Term]\nid: BIRD:{id}\nname: obsolete x{id}\nis_obsolete: true\n{more}\n"

    file = write(
        tmp_path,
        TERM
        + "\n"
        + gone("5", "replaced_by: BIRD:1\nconsider: BIRD:2")
        + gone("6", "consider: BIRD:2")
        + gone("7", ""),
    )
    concepts = {c.id: c for c in read(file)}
    assert concepts["BIRD:5"].replaced_by == ("BIRD:1",)
    assert concepts["BIRD:6"].replaced_by == ("BIRD:2",)
    assert "BIRD:7" not in concepts
    kept = {c.id: c for c in read(file, options=ReadOptions(suppressed=True))}
    assert (kept["BIRD:7"].name, kept["BIRD:5"].replaced_by) == ("x7", ())


def test_imported_terms_can_be_dropped(tmp_path: Path) -> None:
    file = write(tmp_path, TERM + "\n[Term]\nid: CHEBI:1\nname: seed\n")
    assert {c.id for c in read(file, options=ReadOptions(only_prefixes={"chebi"}))} == {"CHEBI:1"}


def test_quotes_that_are_not_escaped_are_tolerated(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        '[Term]\nid: B:1\nname: x\ndef: "A "sore" beak." [a]\nsynonym: "the "other" x" EXACT []\nsynonym: "old" []\n',
    )
    concept = next(read(file))
    assert concept.definition == 'A "sore" beak.'
    assert concept.names == ('the "other" x', "old")


def test_synonym_tags_of_the_first_version_are_understood(tmp_path: Path) -> None:
    file = write(tmp_path, '[Term]\nid: B:1\nname: x\nexact_synonym: "y" []\nbroad_synonym: "z" []\n')
    assert next(read(file)).names == ("y",)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[Term]\nname: no id\n", 4, "without an id"),
        ("[Term]\nid: B:1\nname: x\n\n[Term]\nid: B:1\nname: y\n", 8, "occurs twice"),
        ("[Term]\nid: B:1\nthis is not a tag\n", 6, "tag: value"),
        ("[Term]\nid: B:1\nname: x\nsynonym: bare EXACT []\n", 7, "without quotes"),
    ],
)
def test_what_is_malformed_is_named_by_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(DataError, match=says) as caught:
        list(read(write(tmp_path, text)))
    assert caught.value.line == line


def test_a_truncated_gzip_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bird.obo.gz"
    file.write_bytes(gzip.compress((HEADER + TERM).encode())[:-15])
    with pytest.raises(DataError, match="truncated or damaged"):
        list(read(file, format="obo"))


@settings(max_examples=60, deadline=None)
@given(name=st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1))
def test_any_synonym_written_with_escapes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    file = write(tmp_path_factory.mktemp("obo"), f'[Term]\nid: B:1\nname: x\nsynonym: "{escaped}" EXACT []\n')
    from linnet.terminology.readers.clean import clean

    expected = clean(name)
    assert next(read(file)).names == ((expected,) if expected and expected != "x" else ())


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "concepts", "names"),
    [
        ("doid/doid.obo.gz", 12_399, 30_680),
        ("doid/DO_rare_slim.obo", 3_458, 12_080),  # without broad synonyms
        ("mondo_sources/ordo.obo.gz", 13_580, 40_000),  # with "alternative term" and "symbol"
        ("other/cl-basic.obo", 2_644, 5_000),
        ("other/mondo_go_import.obo", 3_715, 14_500),
        ("other/mp_chebi_import.obo", 2_117, 9_307),
    ],
)
def test_real_ontologies(data: Path, file: str, concepts: int, names: int) -> None:
    live = [c for c in read(data / "terminologies" / file) if c.name]
    assert len(live) == concepts
    assert names <= sum(len(c.all_names) for c in live) < 1.06 * names


def test_obsolete_terms_without_a_successor_are_counted(tmp_path: Path) -> None:
    file, told = tmp_path / "birds.obo", list[Note]()
    file.write_text(
        "format-version: 1.2\n\n[Term]\nid: B:1\nname: beak\n\n[Term]\nid: B:2\nname: bill\nis_obsolete: true\n\n"
        "[Term]\nid: B:3\nname: nib\nis_obsolete: true\nconsider: B:1\n"
    )
    assert [concept.id for concept in read(file, options=ReadOptions(notice=told.append))] == ["B:1", "B:3"]
    assert [in_options(note).partition(".obo: ")[2] for note in told] == [
        "left out: 1 obsolete term without a successor. To read them: --suppressed"
    ]
