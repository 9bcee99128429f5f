"""What speaks for and against each reading, without weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from linnet.link import Linker, Pipeline
from linnet.link.lookup import Best, Lookup
from linnet.link.reading_features import (
    as_written,
    covered,
    divided,
    lost_words,
    matched,
    nothing,
    other_kind,
    stems,
)
from linnet.read.denials import SOMETHING_ELSE
from linnet.read.divide import Division, Kind, Node
from linnet.read.forms import Form
from linnet.terminology import Terminology
from linnet.types import Concept

CONCEPTS = (
    Concept("T:1", "Measles", (), ("Disease",)),
    Concept("T:2", "Factor VII Deficiency", (), ("Disease",)),
    Concept("T:3", "Eczema", ("eczematous dermatitis",), ("Disease",)),
    Concept("T:4", "Rabbit fever", (), ("Disease",)),
    Concept("T:5", "Vell rash", ("acute vell rash of pell",), ("Disease",)),
    Concept("T:6", "Pell", (), ("Disease",)),
    Concept("T:7", "Zarnex", (), ("Chemical",)),
    Concept("T:8", "Sialic Acid Storage Disease", ("SD", "SASD"), ("Disease",)),
    Concept("T:9", "Infection", (), ("Disease",)),
)


def best(name: str, score: float = 0.9, **fields: object) -> Best:
    values = {"concept": 1, "is_exact": False, "preferred": False, "groups": 0, **fields}
    return Best(score=score, name=name, **values)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def lookup(compile_terminology: Callable[[Sequence[Concept]], Terminology]) -> Lookup:
    group = Linker.open([compile_terminology(CONCEPTS)], pipeline=Pipeline(reranker=None)).group
    return Lookup(group, k=8)


def division(kind: Kind, *texts: str) -> Division:
    return Division(kind, tuple(Node(text, "", ()) for text in texts))


def features_of(
    lookup: Lookup,
    text: str,
    kind: Kind,
    *items: str,
    closest: Best | None = None,
    left_out: int = 0,
) -> dict[str, float]:
    """The features of a text that is divided so, each item read as it is."""
    lookup.search([text, *items])
    things = [(item, lookup.best(item)) for item in items]
    lookup.find_names([one.concept for _, one in things])
    return divided(
        text,
        division(kind, *items),
        things,
        [{"match": one.score} for _, one in things],
        lookup,
        unread=left_out,
        closest=closest,
    )


def test_an_exact_match_is_a_name_and_may_be_the_preferred_one() -> None:
    exact = matched(Form("x"), best("x", 1.0, is_exact=True, preferred=True), comparable=True)
    kinds = {"name", "preferred name"}
    assert exact.keys() & kinds == kinds
    loose = matched(Form("x"), best("x", 0.7, is_exact=True), comparable=True)
    assert loose.keys() & kinds == {"name"}


def test_a_match_counts_by_steps() -> None:
    features = matched(Form("x"), best("y", 0.75), comparable=True)
    steps = {"match": 0.75, "match over 0.35": 0.4, "match over 0.5": 0.25}
    assert features == pytest.approx(steps)


def test_what_a_text_and_its_closest_name_lack_of_each_others_words() -> None:
    lacks, lacking = "words that its name lacks", "words that it lacks"
    assert covered("severe gout", "gout") == {lacks: 0.5, lacking: 0.0}
    assert covered("zinc", "Zinc deficiency") == {lacks: 0.0, lacking: 0.5}
    assert covered("gout", "asthma") == {lacks: 1.0, lacking: 1.0}


def test_rules_of_a_form_are_features() -> None:
    form = Form("gout", (("words", 1.5), ("left out: severity", 1.0)))
    features = matched(form, best("gout", 0.8), comparable=True)
    assert features.items() >= {"words": 1.5, "left out: severity": 1.0, "match": 0.8}.items()


def test_a_score_that_is_no_cosine_says_little() -> None:
    scores = [matched(Form("x"), best("x", s), comparable=False)["match"] for s in (0.1, 25.0)]
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("text", "is_code"), [("ABC-1234", True), ("ABC 1234 tablets", True), ("gout", False)]
)
def test_codes_without_a_name_say_so(text: str, is_code: bool) -> None:
    features = matched(Form(text), best("other"), comparable=True)
    assert ("code without a name" in features) is is_code


def test_a_short_form_is_kept_only_as_a_synonym() -> None:
    form = Form("PE", (("short form kept", 1.0),))
    as_synonym = matched(form, best("PE", 1.0, is_exact=True), comparable=True)
    as_name = matched(form, best("PE", 1.0, is_exact=True, preferred=True), comparable=True)
    near = matched(form, best("PEX"), comparable=True)
    assert ["short form kept" in each for each in (as_synonym, as_name, near)] == [True, False, False]


def test_what_the_document_defines_speaks_against_a_short_name_unless_both_agree(lookup: Lookup) -> None:
    lookup.search(["SD", "SASD", "sialic acid storage disease", "skin disorder"])
    assert "as written, short" in as_written("SD", "skin disorder", lookup)
    assert "as written, agreed" not in as_written("SD", "skin disorder", lookup)
    agreed = as_written("SASD", "sialic acid storage disease", lookup)
    assert agreed.keys() >= {"as written", "as written, agreed"}
    assert "as written, short" not in agreed


def test_what_names_nothing_says_by_which_rule() -> None:
    assert nothing("", item=False, in_text=True) == {"nothing": 1.0}
    assert nothing("negated", item=True, in_text=True) == {
        "nothing": 1.0,
        "nothing: an item": 1.0,
        "nothing: negated": 1.0,
    }
    assert nothing("placeholder: date", item=False, in_text=False) == {
        "nothing": 1.0,
        "nothing: placeholder": 1.0,
    }


def test_what_makes_something_else_of_a_thing_is_a_name_in_a_text() -> None:
    alone, inside = (nothing(SOMETHING_ELSE, item=False, in_text=in_text) for in_text in (False, True))
    assert inside == alone | {"nothing: denied, in a text": 1.0}


def test_a_word_that_the_closest_name_has_is_lost_when_it_is_left_out() -> None:
    text, form = "severe dorn fever", "dorn fever"
    lost = lost_words(text, form, best("malignant severe dorn fever"))
    assert 0.5 < lost["lost words of a like name"] < 1
    assert lost_words(text, form, best("marsh fever of dorn")) == {}
    assert lost_words(text, form, best("severe dorn fever", 0.2)) == {}  # too far to say anything


def test_features_of_things_count_by_their_share(lookup: Lookup) -> None:
    features = features_of(lookup, "measles; blorp eczema", Kind.SEPARATE, "measles", "blorp eczema")
    scores = [lookup.best(text).score for text in ("measles", "blorp eczema")]
    assert features["match"] == pytest.approx(sum(scores) / 2)
    assert features["worst part"] == pytest.approx(1 - min(scores))
    assert features["divided: separate"] == features["divided"] == 1


def test_one_thing_of_a_division_and_what_is_left_out(lookup: Lookup) -> None:
    features = features_of(lookup, "measles, blorp", Kind.COMMAS, "measles", left_out=1)
    assert features["divided to one: commas"] == 1
    assert features["unread: commas"] == 0.5
    assert not features.keys() & {"divided: commas", "worst part"}


def test_what_one_name_holds_together_says_so(lookup: Lookup) -> None:
    text, items = "pellosis with vell rash", ("pellosis", "vell rash")
    held = {
        name: "holds together" in features_of(lookup, text, Kind.JOINED, *items, closest=best(name))
        for name in ("vell rash, pellosis", "marsh fever", "vell rash", "vell rash, grim dry pellosis")
    }
    assert held == {
        "vell rash, pellosis": True,
        "marsh fever": False,
        "vell rash": False,
        "vell rash, grim dry pellosis": False,
    }


def test_words_that_no_item_has_are_dropped(lookup: Lookup) -> None:
    features = features_of(
        lookup, "measles of marsh and eczema", Kind.JOINED, "measles", "eczema", closest=best("marsh measles")
    )
    assert features["words dropped"] == 1
    assert "words dropped" not in features_of(
        lookup, "measles with eczema", Kind.JOINED, "measles", "eczema", closest=best("x")
    )


def test_names_between_commas_are_apart(lookup: Lookup) -> None:
    features = features_of(lookup, "measles, eczema", Kind.COMMAS, "measles", "eczema")
    assert features["names apart: commas"] == 1


@pytest.mark.parametrize(
    ("text", "kind", "items"),
    [
        ("vell rash, pell", Kind.COMMAS, ("vell rash", "pell")),  # "acute vell rash of pell"
        ("infection, measles", Kind.COMMAS, ("infection", "measles")),  # nothing without the other
        ("measles with eczema", Kind.JOINED, ("measles", "eczema")),  # no list
        ("measles, zarnex", Kind.COMMAS, ("measles", "zarnex")),  # of different kinds
        ("measles, blorp", Kind.COMMAS, ("measles", "blorp")),  # no name
    ],
)
def test_other_things_are_not_apart(lookup: Lookup, text: str, kind: Kind, items: tuple[str, ...]) -> None:
    assert f"names apart: {kind}" not in features_of(lookup, text, kind, *items)


def test_what_is_on_something_else_than_a_disorder_says_so(lookup: Lookup) -> None:
    on = features_of(lookup, "measles on zarnex", Kind.ON, "measles", "zarnex")
    assert on["on, not of disorders"] == 1
    assert "on, not of disorders" not in features_of(
        lookup, "measles on eczema", Kind.ON, "measles", "eczema"
    )


@pytest.mark.parametrize(
    ("other", "own"),
    [("measles vaccine", "measles infection"), ("coagulation factor VII", "deficiency of factor VII")],
)
def test_words_that_name_a_thing_of_another_kind_are_doubted(lookup: Lookup, other: str, own: str) -> None:
    lookup.search([other, own])
    doubt, none = other_kind([other, own], lookup)
    assert 0 <= none < 0.2 < doubt <= 4
    assert other_kind([other], lookup) == [doubt]  # whatever else is asked


def test_a_product_is_not_the_disease_that_it_is_for(lookup: Lookup) -> None:
    lookup.search(["eczema"])
    assert other_kind(["eczema"], lookup, products=True)[0] > other_kind(["eczema"], lookup)[0]


def test_without_types_the_other_names_tell_what_a_terminology_is_about(
    compile_terminology: Callable[[Sequence[Concept]], Terminology],
) -> None:
    untyped = compile_terminology([Concept(one.id, one.name, one.names) for one in CONCEPTS[:4]])
    group = Linker.open([untyped], pipeline=Pipeline(reranker=None)).group
    lookup = Lookup(group, k=3)
    lookup.search(["measles vaccine", "measles infection"])
    doubt, none = other_kind(["measles vaccine", "measles infection"], lookup)
    assert none < doubt


def test_stems_leave_out_little_words_unless_there_are_no_others() -> None:
    assert stems("the Fevers of childhood") == stems("fever childhood")
    assert stems("of the") != frozenset()
