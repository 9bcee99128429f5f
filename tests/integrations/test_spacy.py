"""The spaCy component: what it writes to entities, and that pipelines with it travel and are kept."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span

from linnet import Document, Link, load
from linnet.errors import DamagedError, MismatchError, RequestError, StoreError, UnknownNameError
from linnet.types import Concept

TEXT = "Ada has ataxia telangiectasia (AT). AT, breast and ovarian cancer, blorf and gout."
PATTERNS = [
    {"label": "DISEASE", "pattern": "AT", "id": "rule-1"},
    {"label": "DISEASE", "pattern": "breast and ovarian cancer"},
    {"label": "DISEASE", "pattern": "blorf"},
    {"label": "PERSON", "pattern": "Ada"},
]

Make = Callable[..., Language]


@pytest.fixture(scope="module")
def make(terminology: Path) -> Make:
    """A blank pipeline with an entity ruler and the component; config as keywords. Equal ones are made once."""
    made: dict[str, Language] = {}

    def make(*, patterns: list[dict[str, str]] = PATTERNS, **config: Any) -> Language:
        key = json.dumps([patterns, config])
        if key not in made:
            nlp = spacy.blank("en")
            if patterns:
                nlp.add_pipe("entity_ruler").add_patterns(patterns)  # type: ignore[attr-defined]
            nlp.add_pipe("linnet", config={"terminology": str(terminology), **config})
            made[key] = nlp
        return made[key]

    return make


def _kb(doc: Doc) -> list[tuple[str, str]]:
    return [(entity.text, entity.kb_id_) for entity in doc.ents]


def test_entities_get_the_id_of_their_concept_and_nil_where_there_is_none(make: Make) -> None:
    doc = make(labels=["disease"])(TEXT)
    assert _kb(doc) == [
        ("Ada", ""),
        ("AT", "T:1"),
        ("AT", "T:1"),
        ("breast and ovarian cancer", "T:2"),
        ("blorf", "NIL"),
    ]
    assert {token.ent_kb_id_ for token in doc.ents[3]} == {"T:2"}


def test_abbreviations_mean_what_the_document_says(make: Make) -> None:
    alone, defined = make()("AT").ents[0], make()(TEXT).ents[1]
    assert "abbreviation" not in alone._.linnet.candidates[0].origin
    assert defined._.linnet.candidates[0].origin == "exact+abbreviation"
    assert defined.kb_id_ == "T:1"


def test_labels_and_ids_of_entities_stay(make: Make) -> None:
    doc = make(recognise=True)(TEXT)
    assert [(one.label_, one.ent_id_) for one in doc.ents[:2]] == [("PERSON", ""), ("Disease", "")]
    assert (doc.ents[2].label_, doc.ents[2].ent_id_) == ("DISEASE", "rule-1")


def test_a_span_knows_its_link_with_all_concepts_candidates_and_probability(
    make: Make, terminology: Path
) -> None:
    doc = make(labels=["DISEASE"], k=3)(TEXT)
    composite, nil = doc.ents[3], doc.ents[4]
    assert composite._.linnet_concepts == ("T:2", "T:3")
    assert nil._.linnet_concepts == ()
    assert doc.ents[0]._.linnet is None
    link = composite._.linnet
    assert isinstance(link, Link)
    assert (link.mention.text, link.mention.document.text) == (composite.text, TEXT)
    assert [part.concepts for part in link.parts] == [("T:2",), ("T:3",)]
    # The very link that the linker gives for the mention in its document.
    document = Document("", TEXT, tuple(entity._.linnet.mention for entity in doc.ents[1:]))
    [linked] = load(terminology).link_documents([document], recognise=False, k=3)
    assert [entity._.linnet for entity in doc.ents[1:]] == linked.links
    assert link.probability is not None
    assert composite._.linnet_record["probability"] == link.probability > 0.6


def test_an_entity_that_an_override_decides_says_so(make: Make, tmp_path: Path) -> None:
    (tmp_path / "overrides.tsv").write_text("breast and ovarian cancer\t*\tforbid\n")
    doc = make(options={"overrides": str(tmp_path / "overrides.tsv")})(TEXT)
    [cancer] = (entity for entity in doc.ents if entity.text.startswith("breast"))
    assert (cancer.kb_id_, cancer._.linnet.origin) == ("NIL", "override")
    assert cancer._.linnet_record["origin"] == "override"


def test_linnet_finds_the_entities_where_the_pipeline_has_none(make: Make) -> None:
    doc = make(patterns=[], recognise=True)(TEXT)
    assert [(one.text, one.label_, one.kb_id_) for one in doc.ents] == [
        ("ataxia telangiectasia", "Disease", "T:1"),
        ("AT", "Disease", "T:1"),
        ("AT", "Disease", "T:1"),
        ("breast and ovarian cancer", "Disease", "T:2"),
        ("gout", "Disease", "T:4"),
    ]


def test_only_entities_that_linnet_finds_are_nil_where_their_link_is_rather_wrong(make: Make) -> None:
    patterns = [{"label": "DISEASE", "pattern": "AT"}]
    nlp = make(patterns=patterns, recognise=True, options={"min_probability_recognised": 1.0})
    linked = dict(_kb(nlp(TEXT)))
    assert (linked["AT"], linked["gout"]) == ("T:1", "NIL")


def test_entities_that_are_there_win_over_those_linnet_finds(make: Make) -> None:
    patterns = [{"label": "ORGAN", "pattern": "ovarian"}]
    doc = make(patterns=patterns, recognise=True, labels=["Disease"])(TEXT)
    assert ("ovarian", "") in _kb(doc)
    assert ("gout", "T:4") in _kb(doc)
    assert "breast and ovarian cancer" not in [text for text, _ in _kb(doc)]


def test_a_mention_inside_a_token_becomes_the_token_and_the_longer_of_two_wins(make: Make) -> None:
    [entity] = make(patterns=[], recognise=True)("gout;aspirin").ents
    assert (entity.text, entity.label_, entity.kb_id_) == ("gout;aspirin", "Chemical", "T:5")
    mention = entity._.linnet.mention
    assert (mention.text, mention.start, mention.end) == ("aspirin", 5, 12)


def test_an_empty_text_and_one_without_entities_pass(make: Make) -> None:
    nlp = make(recognise=True)
    assert [len(doc.ents) for doc in nlp.pipe(["", "Nothing here."])] == [0, 0]


def test_a_stream_gives_what_single_texts_give_in_any_batches(make: Make) -> None:
    nlp = make(recognise=True)
    texts = [TEXT, "AT", "", "gout and aspirin"] * 3
    alone = [_kb(nlp(text)) for text in texts]
    assert [_kb(doc) for doc in nlp.pipe(texts, batch_size=5)] == alone
    assert [_kb(doc) for doc in nlp.pipe(texts, batch_size=1)] == alone


def test_several_processes_give_the_same_with_links_that_arrive(make: Make) -> None:
    nlp = make(recognise=True)
    texts = [TEXT, "gout and aspirin", "AT"] * 4
    here = list(nlp.pipe(texts))
    there = list(nlp.pipe(texts, n_process=2, batch_size=3))
    assert [_kb(doc) for doc in there] == [_kb(doc) for doc in here]
    links = [[entity._.linnet for entity in doc.ents] for doc in there]
    assert links == [[entity._.linnet for entity in doc.ents] for doc in here]


def test_a_pickled_pipeline_links_the_same(make: Make) -> None:
    nlp = make()
    copy = pickle.loads(pickle.dumps(nlp))
    assert _kb(copy(TEXT)) == _kb(nlp(TEXT))


def test_links_are_kept_with_docs(make: Make) -> None:
    nlp = make(recognise=True)
    doc = nlp(TEXT)
    [kept] = DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab)
    assert [entity._.linnet for entity in kept.ents] == [entity._.linnet for entity in doc.ents]
    joined = Doc.from_docs([nlp("No names."), doc])
    assert [entity._.linnet_concepts for entity in joined.ents] == [
        entity._.linnet_concepts for entity in doc.ents
    ]


def test_a_saved_pipeline_links_the_same_and_refuses_another_terminology(
    make: Make, compiled: Callable[[Sequence[Concept]], Path], tmp_path: Path
) -> None:
    nlp = make()
    nlp.to_disk(tmp_path / "nlp")
    assert _kb(spacy.load(tmp_path / "nlp")(TEXT)) == _kb(nlp(TEXT))
    other = compiled([Concept("U:1", "Gout")])
    config = {"components": {"linnet": {"terminology": str(other)}}}
    with pytest.raises(
        MismatchError, match=r"made with terminology .* \(digest .*; here it has .*Name the original"
    ):
        spacy.load(tmp_path / "nlp", config=config)
    with pytest.raises(MismatchError):
        make(terminology=str(other)).from_bytes(nlp.to_bytes())
    (tmp_path / "nlp" / "linnet" / "linnet.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DamagedError, match="Save the pipeline again"):
        spacy.load(tmp_path / "nlp")
    (tmp_path / "nlp" / "linnet" / "linnet.json").unlink()
    with pytest.raises(DamagedError, match="Copy the whole folder"):
        spacy.load(tmp_path / "nlp")


def test_what_docs_refuse_goes_to_the_error_handler_of_the_pipeline(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = make(k=4)  # its own, as it is changed
    component = nlp.get_pipe("linnet")

    def refuse(docs: list[Doc]) -> None:
        raise StoreError("gone")

    monkeypatch.setattr(component, "_link", refuse)
    with pytest.raises(StoreError, match="gone"):
        nlp("gout")
    refused: list[str] = []
    nlp.set_error_handler(lambda name, _, docs, error: refused.extend([name, *(doc.text for doc in docs)]))
    assert list(nlp.pipe(["gout", "cold"])) == []
    assert refused == ["linnet", "gout", "cold"]


def test_a_span_knows_what_the_text_says_of_it_if_asked(make: Make) -> None:
    patterns = [{"label": "D", "pattern": "gout"}, {"label": "D", "pattern": "cold"}]
    denied, said = make(patterns=patterns, options={"assertion": True})("No gout. She has a cold.").ents
    assert (denied._.linnet.assertion, said._.linnet.assertion) == (("negated",), ())
    assert denied._.linnet_record["assertion"] == ["negated"]


def test_a_span_knows_what_its_doc_was_read_as_if_asked(make: Make) -> None:
    [gout] = make(recognise=True, options={"assertion": True})("O/E: BP 120/80. PMH: gout.").ents
    assert (gout._.linnet_record["text_kind"], gout._.linnet.section) == ("note", "past history")


def test_options_restrict_concepts_and_change_the_pipeline(make: Make) -> None:
    patterns = [{"label": "D", "pattern": "cold"}, {"label": "D", "pattern": "gout"}]
    kept = make(patterns=patterns, options={"concept_types": ["Phenomenon"]})("cold")
    assert kept.ents[0].kb_id_ == "T:7"
    unranked = make(patterns=patterns, options={"reranker": None})("gout")
    assert unranked.ents[0]._.linnet.probability is None


@pytest.mark.parametrize(
    ("config", "error", "says"),
    [
        ({"terminology": None}, RequestError, 'nlp.add_pipe\\("linnet", config='),
        ({"terminology": []}, RequestError, "needs a terminology"),
        ({"terminology": "nowhere/"}, StoreError, r"linnet\.build"),
        ({"options": {"rerankr": None}}, UnknownNameError, "Did you mean 'reranker'"),
        ({"k": 0}, RequestError, "k is 0"),
        (
            {"options": {"concept_types": "Disease"}},
            RequestError,
            r"'concept_types' must be a list; got 'Disease'. Write: \['Disease'\]",
        ),
        (
            {"recognise": True, "labels": ["Diseas"]},
            RequestError,
            "entities of Chemical, Disease, Phenomenon, but 'labels' has none",
        ),
        ({"options": {"concept_type": ["Disease"]}}, UnknownNameError, "Did you mean 'concept_types'"),
    ],
)
def test_what_cannot_be_honoured_is_refused_when_the_component_is_added(
    make: Make, config: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        make(**config)


def test_extensions_are_there_for_docs_that_were_only_read() -> None:
    assert all(Span.has_extension(name) for name in ("linnet", "linnet_concepts", "linnet_record"))


def test_the_options_may_name_a_pipeline(terminology: Path, tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text("min_score = 2.0\nreranker = 'none'")
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(PATTERNS)  # type: ignore[attr-defined]
    options = {"pipeline": str(file)}
    component = nlp.add_pipe("linnet", config={"terminology": str(terminology), "options": options})
    assert {kb for _, kb in _kb(nlp("gout and AT"))} == {"NIL"}
    data = component.to_bytes()  # type: ignore[attr-defined]
    assert component.from_bytes(data) is component  # type: ignore[attr-defined]
    file.write_text("min_score = 0.3")
    with pytest.raises(MismatchError, match=r"my\.toml"):
        component.from_bytes(data)  # type: ignore[attr-defined]
