import gzip
import json
from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, detect, read

OBO = "http://purl.obolibrary.org/obo/"
OIO = "http://www.geneontology.org/formats/oboInOwl#"


def node(id: str, label: str, **meta: object) -> dict[str, object]:
    return {"id": OBO + id, "lbl": label, "type": "CLASS", "meta": meta}


NODES = [
    node(
        "BIRD_1",
        "sore beak",
        definition={"val": "A sore beak."},
        synonyms=[{"pred": "hasExactSynonym", "val": "beak pain"}, {"pred": "hasBroadSynonym", "val": "pain"}],
        xrefs=[{"val": "MSH:D000001"}, {"val": "http://bird.example"}],
        basicPropertyValues=[
            {"pred": OIO + "hasAlternativeId", "val": "BIRD:9"},
            {"pred": OIO + "hasOBONamespace", "val": "bird"},
        ],
    ),
    node("BIRD_2", "disease"),
    node("BIRD_3", "obsolete x", deprecated=True, basicPropertyValues=[{"pred": OBO + "IAO_0100001", "val": OBO + "BIRD_1"}]),
    {"id": OBO + "RO_1", "lbl": "part of", "type": "PROPERTY"},
    {"id": OBO + "CHEBI_5", "type": "CLASS"},
]  # fmt: skip
EDGES = [
    {"sub": OBO + "BIRD_1", "pred": "is_a", "obj": OBO + "BIRD_2"},
    {"sub": OBO + "BIRD_1", "pred": OBO + "RO_1", "obj": OBO + "CHEBI_5"},
]


def write(folder: Path, document: object, *, zipped: bool = False) -> Path:
    text = json.dumps(document, indent=1).encode()
    file = folder / ("bird.json.gz" if zipped else "bird.json")
    file.write_bytes(gzip.compress(text) if zipped else text)
    return file


@pytest.mark.parametrize("zipped", [False, True])
def test_classes_have_names_parents_and_what_became_of_them(tmp_path: Path, zipped: bool) -> None:
    file = write(tmp_path, {"graphs": [{"nodes": NODES, "edges": EDGES}]}, zipped=zipped)
    assert detect(file) == "obograph"
    concepts = {c.id: c for c in read(file)}
    assert set(concepts) == {"BIRD:1", "BIRD:2", "BIRD:3", "BIRD:9"}
    first = concepts["BIRD:1"]
    assert (first.all_names, first.types) == (("sore beak", "beak pain"), ("bird",))
    assert (first.parents, first.xrefs, first.definition) == (("BIRD:2",), ("MESH:D000001",), "A sore beak.")
    assert concepts["BIRD:3"].replaced_by == concepts["BIRD:9"].replaced_by == ("BIRD:1",)


def test_scopes_choose_the_synonyms(tmp_path: Path) -> None:
    file = write(tmp_path, {"graphs": [{"nodes": NODES}]})
    assert next(read(file, options=ReadOptions(scopes={"broad"}))).names == ("pain",)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"nodes": []}, "no list 'graphs'"),
        ({"graphs": []}, "no concept"),
        ({"graphs": [{"nodes": NODES * 2}]}, "twice"),
    ],
)
def test_what_is_no_graph_is_refused(tmp_path: Path, document: object, says: str) -> None:
    with pytest.raises(DataError, match=says):
        list(read(write(tmp_path, document), format="obograph"))


def test_json_that_is_cut_off_is_refused_with_its_line(tmp_path: Path) -> None:
    file = write(tmp_path, {"graphs": [{"nodes": NODES}]})
    file.write_text(file.read_text()[:-9])
    with pytest.raises(DataError, match=r"bird\.json:\d+: not valid JSON"):
        list(read(file))


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "concepts", "names"),
    [
        ("other/symp.json", 895, 1_142),
        ("mondo_sources/ncit-disease-2018-06-08.json.gz", 20_324, 59_617),
        ("mondo_sources/ordo-2_6-2018-07-12.json.gz", 13_871, 39_000),
    ],
)
def test_real_graphs(data: Path, file: str, concepts: int, names: int) -> None:
    live = [c for c in read(data / "terminologies" / file) if c.name]
    assert len(live) == concepts
    assert names <= sum(len(c.all_names) for c in live) < 1.06 * names


def graph(folder: Path, *nodes: object) -> Path:
    file = folder / "birds.json"
    file.write_text(json.dumps({"graphs": [{"nodes": nodes, "edges": []}]}))
    return file


def test_annotation_properties_give_names_definition_and_xrefs(tmp_path: Path) -> None:
    skos = "http://www.w3.org/2004/02/skos/core#"
    values = [
        {"pred": f"{skos}altLabel", "val": "beak ache"},
        {"pred": f"{skos}exactMatch", "val": "http://purl.obolibrary.org/obo/MONDO_0000001"},
        {"pred": "http://www.ebi.ac.uk/efo/definition", "val": "A beak that hurts."},
    ]
    node = {"id": "BIRD:1", "lbl": "sore beak", "type": "CLASS", "meta": {"basicPropertyValues": values}}
    (concept,) = read(graph(tmp_path, node))
    assert (concept.names, concept.definition) == (("beak ache",), "A beak that hurts.")
    assert concept.xrefs == ("MONDO:0000001",)


def test_individuals_are_told_and_odd_nodes_refused(tmp_path: Path) -> None:
    notices: list[str] = []
    nodes = [{"id": "BIRD:1", "lbl": "robin"}, {"id": "BIRD:2", "lbl": "my robin", "type": "INDIVIDUAL"}]
    assert len(list(read(graph(tmp_path, *nodes), options=ReadOptions(notice=notices.append)))) == 1
    assert "1 individual not read" in notices[0]
    for odd in (
        "BIRD:3",
        {"id": "BIRD:3", "meta": [7]},
        {"id": "BIRD:3", "meta": {"synonyms": [{"val": "x"}]}},
    ):
        with pytest.raises(DataError, match=r"is not a node|expected an object|has synonyms but no label"):
            list(read(graph(tmp_path, *nodes, odd)))
