"""Mappings are valid SSSOM and OMOP, say what kind of match each is, and hold the user's ids and metadata."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.jobs.outputs import omop_validator, sssom_validator
from typer.testing import CliRunner, Result

from linnet.cli import app
from linnet.jobs.outputs import write_links
from linnet.link.indexing import build_indexes
from linnet.link.linker import Linked
from linnet.terminology import write_terminology
from linnet.terminology.name_joins import join_names
from linnet.terminology.sssom import read_sssom
from linnet.terminology.sssom_writer import write_name_joins
from linnet.types import Candidate, Concept, Document, Link, Mention

LONG = (
    "pain in the left knee after a fall on the ice last winter that nobody treated"  # more than 50 characters
)
TABLE = f'code,label\nA 1|b,podagra\nA2,"breast, ovarian cancer"\nA3,日本\nA4,{LONG}\nA5,podagra\n'


@pytest.fixture(scope="module")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("terminology") / "omop"
    concepts = [
        Concept("OMOP:440674", "Gout", ("podagra",), ("Condition",), sources=("SNOMED",)),
        Concept("OMOP:81251", "Breast Neoplasms", ("breast cancer",), ("Condition",), sources=("MeSH",)),
        Concept("OMOP:200051", "Ovarian Neoplasms", ("ovarian cancer",), ("Condition",), sources=("MeSH",)),
    ]
    build_indexes(write_terminology(concepts, place, sources=[]), ("exact", "dense"))
    return place


@pytest.fixture
def link(terminology: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "codes.csv").write_text(TABLE, encoding="utf-8")
    command = ["link", "codes.csv", "--column", "label", "--terminology", str(terminology)]
    return lambda *args: CliRunner().invoke(app, [*command, *args])


def linked(
    origin: str, *, probability: float | None = 0.9, concepts: tuple[str, ...] = ("MESH:D1",)
) -> list[Linked]:
    mention = Mention.alone("some text")
    best = Candidate("MESH:D1", "Some Text", 0.9, origin)
    return [Linked(Document("1", "some text"), [Link(mention, concepts, "Some Text", probability, (best,))])]


@pytest.mark.parametrize("ids", [[], ["--id-column", "code"]])
def test_sssom_is_valid_with_and_without_ids(
    link: Callable[..., Result], ids: list[str], tmp_path: Path
) -> None:
    done = link(*ids, "--format", "sssom", "-o", "out.sssom.tsv")
    assert done.exit_code == 0, done.stderr
    assert sssom_validator.problems(tmp_path / "out.sssom.tsv") == []


def test_the_validator_finds_what_was_wrong_before(tmp_path: Path) -> None:
    old = tmp_path / "old.sssom.tsv"
    old.write_text(
        "# license: https://creativecommons.org/publicdomain/zero/1.0/\n"
        "subject_label\tpredicate_id\tobject_id\tmapping_justification\tsimilarity_score\n"
        "gout\tskos:exactMatch\tMESH:D006073\tsemapv:LexicalMatching\t1.7\n",
        encoding="utf-8",
    )
    found = "\n".join(sssom_validator.problems(old))
    for problem in ("mapping_set_id is required", "curie_map", "needs subject_id", "similarity_score 1.7"):
        assert problem in found


def test_sssom_has_the_ids_of_the_column_and_a_row_for_every_nil(
    link: Callable[..., Result], tmp_path: Path
) -> None:
    link(
        "--id-column", "code", "--format", "sssom", "--metadata", "subject_prefix=ACME", "-o", "out.sssom.tsv"
    )
    metadata, rows = sssom_validator.read(tmp_path / "out.sssom.tsv")
    assert [(row["subject_id"], row["object_id"]) for row in rows][:4] == [
        ("ACME:A%201%7Cb", "OMOP:440674"),
        ("ACME:A2", "OMOP:81251"),
        ("ACME:A2", "OMOP:200051"),
        ("ACME:A3", "sssom:NoTermFound"),
    ]
    assert rows[-1]["subject_id"] == "ACME:A5"
    assert {row["subject_type"] for row in rows} == {""}
    assert {"ACME", "OMOP", "skos", "semapv", "sssom"} <= metadata["curie_map"].keys()


def test_sssom_claims_no_licence_and_takes_the_users_metadata(
    link: Callable[..., Result], tmp_path: Path
) -> None:
    link("--format", "sssom", "-o", "bare.sssom.tsv")
    bare, _ = sssom_validator.read(tmp_path / "bare.sssom.tsv")
    assert bare["license"] == "https://w3id.org/sssom/license/unspecified"
    (tmp_path / "mappings.toml").write_text(
        'license = "https://creativecommons.org/licenses/by/4.0/"\nmapping_date = 2026-01-31\nmapping_set_title = "Ours: all"\n'
        'author_id = ["orcid:0000-0002-1825-0097"]\n[curie_map]\nOMOP = "https://athena.example/"\n',
        encoding="utf-8",
    )
    done = link(
        "--format", "sssom", "-o", "own.sssom.tsv", "--metadata", "mappings.toml",
        "--metadata", "mapping_set_id=https://example.org/ours", "--metadata", "creator_label=A. Person|B. Person",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert sssom_validator.problems(tmp_path / "own.sssom.tsv") == []
    metadata, rows = sssom_validator.read(tmp_path / "own.sssom.tsv")
    assert metadata["mapping_set_id"] == "https://example.org/ours"
    assert (metadata["mapping_set_title"], metadata["mapping_date"]) == ("Ours: all", "2026-01-31")
    assert metadata["creator_label"] == ["A. Person", "B. Person"]
    assert metadata["curie_map"]["OMOP"] == "https://athena.example/"
    assert {row["author_id"] for row in rows} == {"orcid:0000-0002-1825-0097"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("licence=https://example.org/", "Did you mean 'license'"),
        ("license=CC BY", "expected an address"),
        ("mapping_date=31.1.2026", "expected YYYY-MM-DD"),
        ("source_vocabulary_id=a name of more than twenty characters", "expected 1 to 20 characters"),
        ("missing.toml", "missing.toml"),
    ],
)
def test_metadata_that_no_reader_would_take_is_refused(
    link: Callable[..., Result], given: str, said: str
) -> None:
    done = link("--format", "sssom", "--metadata", given)
    assert done.exit_code == 1
    assert said in done.stderr


def test_metadata_of_other_formats_is_refused(link: Callable[..., Result]) -> None:
    done = link("--metadata", "license=https://example.org/")
    assert done.exit_code == 1
    assert "--format sssom" in done.stderr


@pytest.mark.parametrize(
    ("origin", "probability", "predicate", "justification"),
    [
        ("exact", 0.93, "skos:exactMatch", "LexicalMatching"),
        ("exact+reranked+synonym", None, "skos:exactMatch", "LexicalMatching"),
        ("exact", 0.3, "skos:relatedMatch", "LexicalMatching"),
        ("dense+reranked", 0.93, "skos:closeMatch", "SemanticSimilarityThresholdMatching"),
        ("char", 0.93, "skos:closeMatch", "LexicalSimilarityThresholdMatching"),
        ("dense", 0.2, "skos:relatedMatch", "SemanticSimilarityThresholdMatching"),
        ("override", 1.0, "skos:exactMatch", "ManualMappingCuration"),
    ],
)
def test_a_mapping_says_what_kind_of_match_it_is(
    tmp_path: Path, origin: str, probability: float | None, predicate: str, justification: str
) -> None:
    write_links(linked(origin, probability=probability), tmp_path / "out.tsv", format="sssom")
    assert sssom_validator.problems(tmp_path / "out.tsv") == []
    _, [row] = sssom_validator.read(tmp_path / "out.tsv")
    assert (row["predicate_id"], row["mapping_justification"]) == (predicate, f"semapv:{justification}")


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("gout, unspecified", "skos:exactMatch"),
        ("chronic gout", "skos:broadMatch"),
        ("family history of gout", "skos:relatedMatch"),
        ("gout without tophi", "skos:closeMatch"),
    ],
)
def test_what_a_text_says_beside_the_name_shows_in_the_predicate(
    tmp_path: Path, text: str, predicate: str
) -> None:
    best = Candidate("MESH:D1", "gout", 0.9, "exact")
    link = Link(Mention.alone(text), ("MESH:D1",), "Gout", 0.97, (best,))
    write_links([Linked(Document("1", text), [link])], tmp_path / "out.tsv", format="sssom")
    _, [row] = sssom_validator.read(tmp_path / "out.tsv")
    assert row["predicate_id"] == predicate


def test_nil_by_decision_is_curated_by_hand_and_the_rest_of_a_list_is_narrower(
    link: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "overrides.tsv").write_text("podagra\t*\tforbid\n")
    (tmp_path / "codes.csv").write_text("code,label\nA1,podagra\nA2,breast cancer; podagra\n")
    done = link("--overrides", "overrides.tsv", "--format", "sssom", "-o", "out.sssom.tsv")
    assert done.exit_code == 0, done.stderr
    _, [nil, rest] = sssom_validator.read(tmp_path / "out.sssom.tsv")
    assert (nil["object_id"], nil["mapping_justification"]) == (
        "sssom:NoTermFound",
        "semapv:ManualMappingCuration",
    )
    assert (rest["object_id"], rest["predicate_id"]) == ("OMOP:81251", "skos:narrowMatch")


def test_equal_mappings_have_the_same_id_and_others_another(tmp_path: Path) -> None:
    ids = []
    for number, origin in enumerate(["exact", "exact", "dense"]):
        write_links(linked(origin), tmp_path / f"{number}.tsv", format="sssom")
        ids.append(sssom_validator.read(tmp_path / f"{number}.tsv")[0]["mapping_set_id"])
    assert ids[0] == ids[1] != ids[2]


def test_joins_by_name_are_valid_sssom_too(tmp_path: Path) -> None:
    joins = join_names([[Concept("MESH:D1", "Measles")], [Concept("ACME:1", "rubeola", ("measles",))]])
    write_name_joins(joins, tmp_path / "joined.tsv", version="1")
    assert sssom_validator.problems(tmp_path / "joined.tsv") == []


def test_a_subject_without_a_match_joins_no_concepts(tmp_path: Path) -> None:
    write_links(linked("dense", concepts=()), tmp_path / "out.tsv", format="sssom")
    text = (tmp_path / "out.tsv").read_text(encoding="utf-8").replace("\n\tsome text", "\nX:1\tsome text")
    (tmp_path / "out.tsv").write_text(text, encoding="utf-8")
    assert read_sssom(tmp_path / "out.tsv").mappings == ()


def test_omop_is_valid_with_the_ids_and_vocabularies(link: Callable[..., Result], tmp_path: Path) -> None:
    done = link(
        "--id-column",
        "code",
        "--format",
        "omop",
        "--metadata",
        "source_vocabulary_id=ACME_DX",
        "-o",
        "out.csv",
    )
    assert done.exit_code == 0, done.stderr
    assert omop_validator.problems(tmp_path / "out.csv") == []
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as stream:
        rows = [
            (r["source_code"], r["source_code_description"], r["target_vocabulary_id"])
            for r in csv.DictReader(stream)
        ]
    assert rows == [
        ("A 1|b", "podagra", "SNOMED"),
        ("A2", "breast, ovarian cancer", "MeSH"),
        ("A2", "breast, ovarian cancer", "MeSH"),
        ("A3", "日本", "None"),
        ("A4", LONG, "None"),
        ("A5", "podagra", "SNOMED"),
    ]
    assert "source_vocabulary_id" not in done.stderr


def test_omop_of_long_texts_is_valid_and_tells_what_it_cut(
    link: Callable[..., Result], tmp_path: Path
) -> None:
    done = link("--format", "omop", "-o", "out.csv")
    assert omop_validator.problems(tmp_path / "out.csv") == []
    assert "1 text cut to 50 characters" in done.stderr
    assert "--metadata source_vocabulary_id=NAME" in done.stderr


def test_omop_refuses_an_id_that_is_too_long(link: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text(f"code,label\n{'x' * 51},podagra\n", encoding="utf-8")
    done = link("--id-column", "code", "--format", "omop", "-o", "out.csv")
    assert done.exit_code == 1
    assert "51 characters" in done.stderr
    assert not (tmp_path / "out.csv").exists()
