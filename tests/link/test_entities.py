"""Linking with an index of entities, by two towers that only count letters."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.advised import advises

import linnet
from linnet.advice import Step
from linnet.encode.model import Model, write_model
from linnet.encode.ngram import NgramEncoder
from linnet.errors import MismatchError, RequestError, StoreError, UnknownNameError
from linnet.evaluate.augmented_linker import augmented_linker
from linnet.evaluate.leaks import training_leaks
from linnet.io.artifact import digest
from linnet.link import Linker, Pipeline
from linnet.link.identity import models_of
from linnet.link.indexing import build_indexes, index_terminology
from linnet.link.learned import NAMES, learned_linker
from linnet.retrieve.encoder_stamp import index_encoder
from linnet.retrieve.entities import EntityIndex
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept, Document, Mention

CONCEPTS = [
    Concept("T:1", "aabb cold", definition="zzzz zzzz", types=("Disease",)),
    Concept("T:2", "abab cold", definition="yyyy yyyy", types=("Disease",)),
    Concept("T:3", "ccdd", ("cdcd",), definition="xx", types=("Disease",)),
    Concept("T:4", "eeff", types=("Chemical",)),
]
Z, Y = ("zzzzz zzzzz zzzzz ", "yyyyy yyyyy yyyyy ")


class Letters:
    """Vectors of letter counts, those of definitions and contexts counting a tenth."""

    def __init__(self, place: Path) -> None:
        self.name, self.dimensions, self.digest = "letters", 26, digest((place / "model.toml").read_text())

    def encode_mentions(self, mentions: Sequence[Mention]) -> np.ndarray:
        return counts([m.text for m in mentions]) + counts([m.left + m.right for m in mentions]) / 10

    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> np.ndarray:
        return counts(names) + counts(definitions) / 10


def counts(texts: Sequence[str]) -> np.ndarray:
    letters = [[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts]
    return np.array(letters, np.float32).reshape(len(texts), 26)


@pytest.fixture
def towers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model directory with two towers, which open as `Letters`."""

    def opened(directory: str | Path, *, threads: int | None = None) -> Letters:
        if not Path(directory).is_dir():
            raise StoreError(f"{directory} is not a model: no such directory. Check the path.")
        return Letters(Path(directory))

    for module in ("linnet.retrieve.entities", "linnet.link.building"):
        monkeypatch.setattr(f"{module}.load_two_towers", opened)
    model = Model("two-tower", "letters", 26, "tokenizer", training={"data": {"train.pubtator": "0"}})
    write_model(tmp_path / "towers", model, fill=lambda draft: None)
    return tmp_path / "towers"


@pytest.fixture
def terminology(tmp_path: Path, towers: Path) -> Terminology:
    """With an index of entities in its pipeline."""
    made = write_terminology(CONCEPTS, tmp_path / "t")
    index_terminology(made, encoder=towers, threads=1)
    return Terminology.open(tmp_path / "t")


def first(linker: Linker, *mentions: Mention | str) -> list[str | None]:
    return [link.candidates[0].concept if link.candidates else None for link in linker.link(mentions)]


def bare(terminology: Terminology, *retrievers: str, **fields: object) -> Linker:
    """A linker without reranker."""
    wanted = retrievers or ("exact", "entities")
    return Linker.open([terminology], pipeline=Pipeline(wanted, reranker=None, **fields))  # type: ignore[arg-type]


def test_entities_take_the_place_of_names_when_the_encoder_has_two_towers(
    terminology: Terminology, towers: Path
) -> None:
    pipeline = Pipeline.from_manifest(terminology.pipeline)
    assert (pipeline.retrievers, pipeline.encoder) == (("exact", "entities"), str(towers))
    assert not (terminology.path / "index" / "dense").exists()
    index_terminology(terminology, encoder="ngram")
    assert Pipeline.from_manifest(terminology.pipeline).retrievers == ("exact", "dense")


def test_the_context_decides(terminology: Terminology) -> None:
    linker = bare(terminology)
    asked = [Mention.alone("baba cold", left=left) for left in (Z, Y)]
    assert first(linker, *asked) == ["T:1", "T:2"]
    [link] = linker.link(asked[:1])
    assert link.concepts == ("T:1",)
    assert {candidate.origin for candidate in link.candidates} == {"dense"}


def test_an_exact_match_comes_first_whatever_the_context(terminology: Terminology) -> None:
    linker = bare(terminology)
    [link] = linker.link([Mention.alone("cdcd", left=Z * 3)])
    assert link.candidates[0].concept == "T:3"
    assert link.candidates[0].origin.startswith("exact")
    assert len(link.candidates) == 4


def test_the_reranker_orders_candidates_of_the_context(terminology: Terminology) -> None:
    [link] = linnet.load(terminology.path, threads=1).link([Mention.alone("baba cold", left=Z)])
    assert link.candidates[0].origin == "dense+reranked"
    assert link.probability is not None


@pytest.mark.parametrize("retrievers", [("exact", "entities"), ("exact", "dense", "entities")])
def test_a_mention_has_the_same_candidates_alone_and_among_others(
    terminology: Terminology, retrievers: tuple[str, ...]
) -> None:
    build_indexes(terminology, ["dense"])
    linker = bare(terminology, *retrievers)
    texts = ["baba cold", "ccdd", "", "ee", "日本", "baba cold"]
    asked = [Mention.alone(text, left=left) for text in texts for left in (Z, Y)]
    together = linker.link(asked)
    assert [linker.link([mention])[0] for mention in asked] == together


def test_cosines_of_names_and_of_entities_count_half_each(terminology: Terminology, towers: Path) -> None:
    build_indexes(terminology, ["dense"])
    mention = Mention.alone("baba colds", left=Z)
    [both] = bare(terminology, "exact", "dense", "entities").link([mention])
    [names] = bare(terminology, "exact", "dense").link([mention])
    [entities] = bare(terminology, "exact", "entities").link([mention])
    scores = [{c.concept: c.score for c in link.candidates} for link in (both, names, entities)]
    for concept in ("T:1", "T:2"):
        assert scores[0][concept] == pytest.approx((scores[1][concept] + scores[2][concept]) / 2, abs=2e-4)


def test_beside_scores_that_are_no_cosines_the_order_of_trust_counts(terminology: Terminology) -> None:
    build_indexes(terminology, ["bm25"])
    mention = Mention.alone("eeff aabb zz", left=Y)
    linker = bare(terminology, "exact", "bm25", "entities", composites=False)
    assert [c.origin for c in linker.link([mention])[0].candidates][:2] == ["bm25+dense", "bm25+dense"]
    by_name = first(linker, mention)
    other = bare(terminology, "exact", "entities", "bm25", composites=False)
    [link] = other.link([mention])
    alone = bare(terminology, "exact", "entities", composites=False).link([mention])[0]
    assert [c.concept for c in link.candidates] == [c.concept for c in alone.candidates]
    assert by_name[0] in {"T:1", "T:4"}


def test_what_is_forbidden_for_a_name_is_not_found_by_its_context(terminology: Terminology) -> None:
    asked = [Mention.alone("baba cold", left=left) for left in (Z, Y)]
    overrides = terminology.path / "overrides.tsv"
    overrides.write_text("baba cold\tT:1\tforbid\n")
    assert first(bare(terminology), *asked) == ["T:2", "T:2"]
    overrides.write_text("baba cold\tT:4\tforce\n")
    assert first(bare(terminology), *asked) == ["T:4", "T:4"]


def test_only_allowed_concepts_are_found(terminology: Terminology) -> None:
    linker = linnet.load(terminology.path, concept_types=["Chemical"], reranker=None, threads=1)
    [link] = linker.link([Mention.alone("baba cold", left=Z)])
    assert [candidate.concept for candidate in link.candidates] == ["T:4"]


def test_several_terminologies_are_searched_as_one(
    terminology: Terminology, towers: Path, tmp_path: Path
) -> None:
    other = write_terminology([Concept("S:1", "bbaa cold", definition="wwww wwww")], tmp_path / "s")
    index_terminology(other, encoder=towers)
    linker = linnet.load(terminology.path, other.path, reranker=None, threads=1)
    asked = [Mention.alone("baba cold", left=left) for left in (Z, "wwwww wwwww wwwww ")]
    assert first(linker, *asked) == ["T:1", "S:1"]


def test_learned_names_come_before_entities(terminology: Terminology, tmp_path: Path) -> None:
    learned = write_terminology([Concept("T:4", "eeff", ("baba cold",))], tmp_path / "v1" / NAMES)
    build_indexes(learned, ["exact"])
    linker = learned_linker(
        terminology, tmp_path / "v1", pipeline=Pipeline(("exact", "entities"), reranker=None)
    )
    assert first(linker, Mention.alone("baba cold", left=Z), Mention.alone("babaa cold", left=Z)) == [
        "T:4",
        "T:1",
    ]


@pytest.fixture
def other_names(tmp_path: Path) -> Path:
    """An encoder of names that is not the shipped one."""
    NgramEncoder.untrained(["aaaa", "baba cold"]).save(tmp_path / "names")
    return tmp_path / "names"


def test_a_linker_with_training_mentions_as_names_keeps_both_encoders(
    terminology: Terminology, towers: Path, other_names: Path
) -> None:
    build_indexes(terminology, ["dense"], encoder=other_names)
    home = Document("d", "gggg was seen")
    train = [home.with_mentions([Mention(home, 0, 4, "gggg", "Disease", ("T:4",))])]
    linker = bare(terminology, "exact", "dense", "entities")
    with augmented_linker(linker, train, threads=1) as augmented:
        assert first(augmented, "gggg") == ["T:4"]
        [built] = augmented.terminologies
        assert index_encoder(built, "dense") == str(other_names)
        assert index_encoder(built, "entities") == str(towers)


def test_the_manifest_names_the_model_and_the_audit_its_training_data(
    terminology: Terminology, towers: Path, tmp_path: Path
) -> None:
    linker = bare(terminology)
    assert models_of(linker)["encoder"] == {"name": "letters", "digest": Letters(towers).digest}
    (tmp_path / "train.pubtator").write_text("")
    [note] = training_leaks(linker, tmp_path / "train.pubtator")
    assert note.startswith("The encoder 'letters' was trained on train.pubtator")


# ── indexing ─────────────────────────────────────────────────────────────────────────────────────────────


def test_an_update_encodes_nothing_again(terminology: Terminology, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    index_terminology(terminology, update=True, started=started.append)
    assert started == []
    newer = write_terminology(
        [*CONCEPTS, Concept("T:5", "gghh")], terminology.path, pipeline=terminology.pipeline
    )
    encoded: list[str] = []
    encode = Letters.encode_entities

    def counted(self: Letters, names: Sequence[str], definitions: Sequence[str]) -> np.ndarray:
        encoded.extend(names)
        return encode(self, names, definitions)

    monkeypatch.setattr(Letters, "encode_entities", counted)
    index_terminology(newer, update=True, started=started.append)
    assert "entities" in started
    assert encoded == ["gghh"]
    assert first(bare(newer), "ghgh") == ["T:5"]


def test_a_new_release_takes_model_and_vectors_of_the_older_one(
    terminology: Terminology, towers: Path, tmp_path: Path
) -> None:
    newer = write_terminology([*CONCEPTS, Concept("T:5", "gghh")], tmp_path / "newer")
    index_terminology(newer, retrievers=["exact", "entities"], since=terminology.path)
    assert index_encoder(newer, "entities") == str(towers)
    with pytest.raises(StoreError, match="has no dense index"):
        index_terminology(newer, retrievers=["exact", "dense"], since=terminology.path)


def test_a_form_is_kept_until_another_is_asked_for(terminology: Terminology) -> None:
    index_terminology(terminology, dense="hnsw")
    assert EntityIndex.open(terminology).form == "hnsw"
    index_terminology(terminology, update=True)
    assert EntityIndex.open(terminology).form == "hnsw"
    assert first(bare(terminology), Mention.alone("baba cold", left=Y)) == ["T:2"]
    with pytest.raises(UnknownNameError, match="flat, hnsw"):
        index_terminology(terminology, dense="ivf")


def test_an_update_leaves_entities_alone_if_they_cannot_have_the_form(terminology: Terminology) -> None:
    started: list[str] = []
    build_indexes(terminology, ["entities"], dense="ivf", update=True, started=started.append)
    assert started == []


def test_beside_two_towers_the_dense_index_keeps_its_encoder(
    terminology: Terminology, towers: Path, other_names: Path
) -> None:
    build_indexes(terminology, ["dense"], encoder=other_names)
    index_terminology(terminology, retrievers=["exact", "dense", "entities"], encoder=towers)
    assert index_encoder(terminology, "dense") == str(other_names)
    linker = linnet.load(terminology.path, threads=1)
    assert set(models_of(linker)) >= {"encoder", "encoder-2"}


def test_what_does_not_fit_is_refused_before_anything_is_built(
    terminology: Terminology, towers: Path, tmp_path: Path
) -> None:
    fresh = write_terminology(CONCEPTS, tmp_path / "fresh")
    with pytest.raises(
        RequestError, match="two towers", check=advises(Step.ADD_INDEX, retrievers=["exact", "entities"])
    ):
        index_terminology(fresh, retrievers=["exact", "dense"], encoder=towers)
    with pytest.raises(RequestError, check=advises(Step.ADD_INDEX, retrievers=["exact", "dense"])):
        index_terminology(fresh, retrievers=["exact", "entities"], encoder="ngram")
    with pytest.raises(RequestError, check=advises(Step.BUILD_INDEX, encoder="DIRECTORY")):
        index_terminology(fresh, retrievers=["exact", "entities"])
    assert not (fresh.path / "index").exists()
    for path, encoder in ((terminology.path, "ngram"), (dense_only(tmp_path), str(towers))):
        with pytest.raises(RequestError, check=advises(Step.BUILD_INDEX, encoder=str(encoder))):
            linnet.load(path, encoder=encoder)


def dense_only(tmp_path: Path) -> Path:
    path = tmp_path / "names"
    build_indexes(write_terminology(CONCEPTS, path), ["exact", "dense"])
    return path


def test_a_model_that_is_gone_or_was_trained_again_is_refused(
    terminology: Terminology, towers: Path, tmp_path: Path
) -> None:
    with (towers / "model.toml").open("a") as file:
        file.write("# trained again\n")
    with pytest.raises(MismatchError, match=r"of other weights", check=advises(Step.BUILD_INDEX)):
        linnet.load(terminology.path)
    shutil.rmtree(towers)
    with pytest.raises(MismatchError, match=r"'letters' \(26-d\), which cannot be opened"):
        Linker.open([terminology], pipeline=Pipeline(("exact", "entities")))


def test_sources_are_built_and_indexed_with_two_towers_in_one_call(tmp_path: Path, towers: Path) -> None:
    (tmp_path / "c.csv").write_text("id,name\nX:1,aabb\nX:2,ccdd\n")
    built = linnet.build(tmp_path / "c.csv", tmp_path / "c", encoder=towers, threads=1)
    assert json.loads((built.path / "terminology.json").read_text())["pipeline"]["retrievers"] == [
        "exact",
        "entities",
    ]
    assert first(linnet.load(built.path, reranker=None), "abba") == ["X:1"]
