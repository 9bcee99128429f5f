"""The listwise reranker: its features, its arithmetic against plain loops, its directory, and its place in linking."""

from __future__ import annotations

import gc
import math
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from linnet.errors import DamagedError, MismatchError
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.rerank import open_reranker
from linnet.rerank.calibrator import Calibrator, Curve
from linnet.rerank.features import FEATURES
from linnet.rerank.listwise import ListwiseReranker
from linnet.rerank.listwise_scorer import LIMIT, ListwiseScorer
from linnet.rerank.mention_priors import MentionPriors, id_prefix
from linnet.rerank.name_features import BUCKETS
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept, Document, Mention

CONCEPTS = (
    Concept("T:1", "Diabetes Mellitus, Type 1", ("type 1 diabetes",), ("Disease",), parents=("T:3",)),
    Concept("T:2", "Diabetes Mellitus, Type 2", ("type II diabetes",), ("Disease",), parents=("T:3",)),
    Concept("T:3", "Diabetes Mellitus", ("diabetes",), ("Disease",)),
    Concept("T:4", "Common Cold", ("cold",), ("Disease",)),
    Concept("T:5", "Cold Temperature", ("cold",), ("Phenomenon",)),
    Concept("T:6", "Renal Failure, Chronic", ("chronic renal failure",), ("Disease",)),
)
TEXT = "Snow and low temperature: a cold winter night. Later a cold with fever."


def scorer(**weights: float) -> ListwiseScorer:
    """A linear one with these weights and no others; "none of these" is hardly ever meant."""
    linear = np.zeros(len(FEATURES), np.float32)
    for name, weight in weights.items():
        linear[FEATURES.index(name.replace("_", " "))] = weight
    size = len(FEATURES)
    zeros, none = np.zeros(size, np.float32), np.zeros((size, 0), np.float32)
    return ListwiseScorer(
        zeros, np.ones(size, np.float32), linear, none, none[0], none[0], zeros, np.full(1, -9, np.float32)
    )


def reranker(memory: MentionPriors | None = None, **weights: float) -> ListwiseReranker:
    rarity = np.ones(BUCKETS, np.float32)
    return ListwiseReranker(scorer(**weights), memory or MentionPriors.of([]), rarity)


@pytest.fixture(scope="module")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Terminology:
    place = tmp_path_factory.mktemp("listwise") / "t"
    write_terminology(CONCEPTS, place, sources=[{"path": "invented", "format": "jsonl"}])
    build_indexes(Terminology.open(place), ("exact", "dense"))
    return Terminology.open(place)


@pytest.fixture(scope="module")
def linker(terminology: Terminology) -> Linker:
    return Linker.open([terminology])


def candidates(linker: Linker, texts: list[str], k: int = 6) -> Hits:
    return linker.group.search(texts, k=k)


def of(features: np.ndarray, hits: Hits, row: int, concept: int, name: str) -> float:  # type: ignore[type-arg]
    place = hits.concepts[row].tolist().index(concept)
    return float(features[row, place, FEATURES.index(name)])


def test_every_feature_has_a_name_of_its_own() -> None:
    assert len(set(FEATURES)) == len(FEATURES)


def test_features_say_what_names_and_texts_share(linker: Linker) -> None:
    texts = ["diabetes type 2", "chronic kidney failure"]
    hits = candidates(linker, texts)
    features = reranker().features([Mention.alone(text) for text in texts], texts, hits, linker.group)
    assert of(features, hits, 0, 0, "numbers differ") == 1
    assert of(features, hits, 0, 1, "numbers differ") == 0
    assert of(features, hits, 0, 2, "numbers lost") == 1
    assert of(features, hits, 0, 1, "text covered") == 1
    assert of(features, hits, 0, 2, "text covered") == pytest.approx(1 / 3)
    assert of(features, hits, 0, 2, "text lacks") == 1
    assert of(features, hits, 0, 2, "children") == pytest.approx(math.log(3))
    # "renal" means "kidney", and the preferred name is written the other way round.
    assert of(features, hits, 1, 5, "sense") == of(features, hits, 1, 5, "preferred head") == 1
    assert of(features, hits, 1, 5, "simplify") == 0


def test_context_is_what_stands_near_and_in_the_document(linker: Linker) -> None:
    document = Document("d", TEXT)
    mention = Mention(document, 28, 32, "cold")
    hits = candidates(linker, ["cold"])
    features = reranker().features([mention], ["cold"], hits, linker.group)
    assert of(features, hits, 0, 4, "preferred adds near") == 1
    assert of(features, hits, 0, 3, "preferred adds near") == 0
    assert of(features, hits, 0, 3, "homonyms") == pytest.approx(math.log(2))
    changed = reranker(preferred_adds_near=5.0).rerank([mention], ["cold"], hits, linker.group)
    assert changed.concepts[0, :2].tolist() == [4, 3]
    assert all(Origin.RERANKED in Origin(int(flags)) for flags in changed.origins[0, :2])


def test_memory_knows_what_was_meant_under_any_spelling(linker: Linker) -> None:
    memory = MentionPriors.of([("colds", "T:5"), ("cold", "T:5"), ("cold", "T:4")], kinds={"T:": 0.5})
    hits = candidates(linker, ["Cold"])
    features = reranker(memory).features([Mention.alone("Cold")], ["Cold"], hits, linker.group)
    assert of(features, hits, 0, 4, "share by words") == 0.5
    assert of(features, hits, 0, 4, "meant by stems") == pytest.approx(math.log(3))
    assert of(features, hits, 0, 3, "share by stems") == pytest.approx(1 / 3)
    assert of(features, hits, 0, 4, "prior") == pytest.approx(math.log(3))
    assert of(features, hits, 0, 4, "kind of id") == 0.5
    assert id_prefix("MESH:D003920") == "MESH:D"
    shares = reranker(memory).recalled(["Cold", "gout"], [["T:5", "T:4", "T:3"]] * 2)
    assert shares[0].tolist() == pytest.approx([2 / 3, 1 / 3, 0])
    assert np.isnan(shares[1]).all()


def test_probabilities_are_a_softmax_with_none_of_these() -> None:
    rng = np.random.default_rng(0)
    size, hidden = len(FEATURES), 4
    arrays = {
        "centre": rng.normal(size=size), "scale": rng.random(size) + 0.5, "linear": rng.normal(size=size),
        "hidden": rng.normal(size=(size, hidden)), "bias": rng.normal(size=hidden), "out": rng.normal(size=hidden),
        "none": rng.normal(size=size) / 9, "none_bias": rng.normal(size=1),
    }  # fmt: skip
    weights = ListwiseScorer.of(arrays)
    features = rng.normal(size=(3, 4, size)).astype(np.float32) * 3
    there = np.array([[True] * 4, [True, True, False, False], [False] * 4])
    found = weights.probabilities(features, there)
    for row in range(3):
        scaled = [
            np.clip((features[row, place] - arrays["centre"]) / arrays["scale"], -LIMIT, LIMIT)
            for place in range(4)
            if there[row, place]
        ]
        logits = [
            x @ arrays["linear"]
            + sum(
                max(0.0, x @ arrays["hidden"][:, h] + arrays["bias"][h]) * arrays["out"][h]
                for h in range(hidden)
            )
            for x in scaled
        ]
        best = [max((x[f] for x in scaled), default=-LIMIT) for f in range(size)]
        none = float(np.dot(best, arrays["none"]) + arrays["none_bias"][0])
        total = sum(math.exp(value) for value in [*logits, none])
        wanted = [math.exp(value) / total for value in logits] + [0.0] * (4 - len(logits))
        np.testing.assert_allclose(found[row], wanted, rtol=1e-4, atol=1e-6)


def test_candidates_stay_the_same_and_ties_keep_their_order(linker: Linker) -> None:
    texts = ["diabetes type 2", "cold", "nothing like it", ""]
    mentions = [Mention.alone(text) for text in texts]
    hits = candidates(linker, texts)
    same = reranker().rerank(mentions, texts, hits, linker.group)
    np.testing.assert_array_equal(same.concepts, hits.concepts)
    turned = reranker(place=-9.0).rerank(mentions, texts, hits, linker.group)
    np.testing.assert_array_equal(np.sort(turned.concepts), np.sort(hits.concepts))
    assert turned.concepts[0, 0] != hits.concepts[0, 0]
    assert (turned.scores[turned.concepts < 0] == -np.inf).all()
    for batch in (slice(0, 1), slice(1, 4)):
        alone = reranker(place=-9.0).rerank(mentions[batch], texts[batch], hits.take(batch), linker.group)
        np.testing.assert_array_equal(alone.scores, turned.scores[batch])
    empty = reranker().rerank([], [], hits.take([]), linker.group)
    assert len(empty) == 0


def test_a_directory_gives_the_same_reranker_back(linker: Linker, tmp_path: Path) -> None:
    memory = MentionPriors.of([("cold", "T:5")], kinds={"T:": 0.25})
    before = reranker(memory, share_by_words=3.0)
    before.save(tmp_path / "m")
    after = open_reranker(tmp_path / "m")
    hits = candidates(linker, ["cold"])
    for one in (before, after):
        found = one.rerank([Mention.alone("cold")], ["cold"], hits, linker.group)
        assert found.concepts[0, 0] == 4
    assert after.digest == before.digest
    (tmp_path / "m" / "weights.safetensors").write_bytes(b"")
    with pytest.raises(DamagedError):
        open_reranker(tmp_path / "m")


def test_other_features_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reranker().save(tmp_path / "m")
    monkeypatch.setattr("linnet.rerank.listwise.FEATURES", FEATURES[:-1])
    with pytest.raises(MismatchError, match="does not compute"):
        open_reranker(tmp_path / "m")


def test_a_model_of_fewer_features_gets_only_these(tmp_path: Path, linker: Linker) -> None:
    names = FEATURES[3:9][::-1]
    rng = np.random.default_rng(0)
    arrays = {
        "centre": np.zeros(6), "scale": np.ones(6), "linear": rng.normal(size=6), "hidden": np.zeros((6, 0)),
        "bias": np.zeros(0), "out": np.zeros(0), "none": np.zeros(6), "none_bias": np.zeros(1),
    }  # fmt: skip
    of_all = reranker()
    fewer = ListwiseReranker(ListwiseScorer.of(arrays), of_all.priors, of_all.rarity, features=names)
    fewer.save(tmp_path / "m")
    opened = open_reranker(tmp_path / "m")
    assert isinstance(opened, ListwiseReranker)
    texts = ["type 2 dorn fever"]
    hits = candidates(linker, texts, k=3)
    mentions = [Mention.alone(text) for text in texts]
    taken = opened.features(mentions, texts, hits, linker.group)
    whole = of_all.features(mentions, texts, hits, linker.group)
    assert np.array_equal(taken, whole[..., [FEATURES.index(name) for name in names]])
    assert opened.rerank(mentions, texts, hits, linker.group).concepts.shape == hits.concepts.shape


def test_candidates_of_another_type_than_the_mention_are_marked(tmp_path: Path) -> None:
    concepts = (
        Concept("T:1", "Dornin deficiency", (), ("Disease",)),
        Concept("T:2", "Dornin", (), ("Protein",)),
        Concept("T:3", "Dornin pen"),
    )
    write_terminology(concepts, tmp_path / "t", sources=[])
    build_indexes(Terminology.open(tmp_path / "t"), ("exact", "dense"))
    typed = Linker.open([Terminology.open(tmp_path / "t")])
    mention = Mention(Document("", "dornin"), 0, 6, "dornin", "Disease")
    hits = candidates(typed, ["dornin"], k=3)
    features = reranker().features([mention], ["dornin"], hits, typed.group)
    assert [of(features, hits, 0, row, "types differ") for row in (0, 1, 2)] == [0, 1, 0]
    untyped = reranker().features([Mention.alone("dornin")], ["dornin"], hits, typed.group)
    assert not untyped[..., FEATURES.index("types differ")].any()


def test_a_linker_reranks_and_says_how_probable_its_links_are(
    terminology: Terminology, tmp_path: Path
) -> None:
    place = tmp_path / "m"
    reranker(MentionPriors.of([("cold", "T:5")] * 3), share_by_words=9.0, score=3.0).save(place)
    pipeline = Pipeline(reranker=str(place))
    plain, changed = (Linker.open([terminology], pipeline=p) for p in (Pipeline(reranker=None), pipeline))
    assert plain.link(["cold"])[0].concepts == ("T:4",)
    [link] = changed.link(["cold"], k=1)
    assert link.concepts == ("T:5",)
    assert link.probability is None
    assert [candidate.origin for candidate in link.candidates] == ["exact+reranked"]
    Calibrator({"reranked": Curve((0.0, 1.0), (0.1, 0.9))}).save(tmp_path / "calibrator.json")
    sure = replace(pipeline, calibrator=str(tmp_path))
    [link] = Linker.open([terminology], pipeline=sure).link(["cold"])
    assert link.probability == pytest.approx(0.1 + 0.8 * link.candidates[0].score, abs=1e-3)
    [link] = Linker.open([terminology], pipeline=replace(sure, min_probability=0.95)).link(["cold"])
    assert link.concepts == ()
    assert link.candidates


def test_where_the_margin_is_wide_nothing_is_reranked(terminology: Terminology, tmp_path: Path) -> None:
    reranker(place=-9.0).save(tmp_path / "m")
    always = Linker.open([terminology], pipeline=Pipeline(reranker=str(tmp_path / "m"), margin=1.0))
    seldom = Linker.open([terminology], pipeline=Pipeline(reranker=str(tmp_path / "m"), margin=0.05))
    text = "chronic renal failures"
    assert "reranked" in always.link([text])[0].candidates[0].origin
    assert "reranked" not in seldom.link([text])[0].candidates[0].origin
    # The only concept with a name is never in doubt, two concepts of one name always.
    assert "reranked" not in always.link(["chronic renal failure"])[0].candidates[0].origin
    assert "reranked" in seldom.link(["cold"])[0].candidates[0].origin


def test_a_composite_is_reranked_part_by_part(terminology: Terminology, tmp_path: Path) -> None:
    reranker(MentionPriors.of([("cold", "T:5")] * 3), share_by_words=9.0, score=3.0).save(tmp_path / "m")
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=str(tmp_path / "m"), margin=1.0))
    [link] = linker.link(["cold and diabetes"])
    assert link.concepts == ("T:5", "T:3")
    # "diabetes" is a name of one concept only.
    assert ["reranked" in part.candidates[0].origin for part in link.parts] == [True, False]


def test_without_its_memory_it_knows_nothing_of_training_mentions(linker: Linker) -> None:
    memory = MentionPriors.of([("cold", "T:5")] * 9, several=[("cold and diabetes", ("T:3", "T:4"))])
    remembering = reranker(memory, meant_by_words=4, prior=4)
    forgetful = remembering.without_memory()
    mentions = [Mention.alone("cold"), Mention.alone("cold and diabetes")]
    texts = [mention.text for mention in mentions]
    hits = candidates(linker, texts)
    first = forgetful.features(mentions, texts, hits, linker.group)
    remembered = [
        FEATURES.index(name) for name in ("prior", "meant by words", "share by stems", "unseen by words")
    ]
    assert not first[..., remembered].any()
    assert remembering.features(mentions, texts, hits, linker.group)[..., remembered].any()
    assert remembering.composites(mentions, texts) == {1: ("T:3", "T:4")}
    assert forgetful.composites(mentions, texts) == {}
    assert remembering.recalled(["cold"], [["T:5"]]).tolist() == [[1]]
    assert np.isnan(forgetful.recalled(["cold"], [["T:5"]])).all()
    assert forgetful.digest != remembering.digest


def test_a_reranker_does_not_keep_the_terminologies_that_it_has_seen(terminology: Terminology) -> None:
    model, linker = reranker(), Linker.open([terminology])
    mentions = [Mention.alone("cold")]
    model.features(mentions, ["cold"], candidates(linker, ["cold"]), linker.group)
    seen = weakref.ref(linker.group)
    del linker
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("type 1 diabetes", "T:1"),  # nothing is remembered of it
        ("chronic renal failure", "T:3"),  # a synonym, of which training mentions meant another concept
        ("Renal Failure, Chronic", "T:6"),  # a preferred name is that of its concept whatever is remembered
    ],
)
def test_only_memory_takes_a_literal_name_from_its_concept_and_never_the_preferred_one(
    terminology: Terminology, tmp_path: Path, text: str, concept: str
) -> None:
    memory = MentionPriors.of([("chronic renal failure", "T:3"), ("Renal Failure, Chronic", "T:3")] * 9)
    reranker(memory, children=9.0, meant_by_words=9.0).save(tmp_path / "m")
    always = Pipeline(reranker=str(tmp_path / "m"), margin=1.0)
    linker = Linker.open([terminology], pipeline=always)
    in_text = Mention(Document("", f"We saw {text} here."), 7, 7 + len(text), text)
    assert [link.concepts for link in linker.link([text, in_text])] == [(concept,)] * 2


def test_a_pipeline_without_memory_asks_the_reranker_without_it(terminology: Terminology) -> None:
    with_memory = Linker.open([terminology], pipeline=Pipeline()).reranking.reranker
    without = Linker.open([terminology], pipeline=Pipeline(memory=False)).reranking.reranker
    assert with_memory is not None
    assert without is not None
    assert without.digest != with_memory.digest
