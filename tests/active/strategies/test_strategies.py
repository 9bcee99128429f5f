from __future__ import annotations

import pytest

from linnet.active.confidence import confidence
from linnet.active.strategies import Pool, Unlabelled, blind, explain, order, strategies
from linnet.errors import UnknownNameError
from linnet.types import Candidate, Link, Mention

POOL = Pool(
    [
        Unlabelled("a", "gout and gout in joints", (1.9, 0.4), ("gout", "gout")),
        Unlabelled("b", "gout in joints again", (1.2,), ("gout",)),
        Unlabelled("c", "asthma of the airways", ()),
        Unlabelled("d", "scurvy among sailors", (0.9, 1.0), ("scurvy", "sailors")),
    ],
    labelled=["gout in many joints"],
    seed=3,
)


@pytest.mark.parametrize("name", sorted(strategies))
def test_every_strategy_offers_each_document_once_and_always_the_same(name: str) -> None:
    assert sorted(order(name, POOL)) == [0, 1, 2, 3]
    assert order(name, POOL) == order(name, POOL)
    assert order(name, Pool([])) == []
    assert order(name, Pool([Unlabelled("a", "")])) == [0]


def test_the_least_confident_prediction_decides() -> None:
    assert order("least-confident", POOL) == [0, 3, 1, 2]


def test_what_is_known_or_comes_before_is_not_asked_for_again() -> None:
    documents = [
        Unlabelled("a", "", (0.1,), ("Gout",)),
        Unlabelled("b", "", (0.2, 1.9), ("gout", "wheeze")),
        Unlabelled("c", "", (0.9,), ("scurvy",)),
        Unlabelled("d", "", (0.3,), ("wheeze",)),
        Unlabelled("e", ""),
    ]
    # gout by a; wheeze, least sure in d; scurvy by c; nothing new is left in b
    assert order("least-confident-new", Pool(documents)) == [0, 3, 2, 1, 4]
    assert order("least-confident-new", Pool(documents, known={"GOUT"})) == [3, 2, 0, 1, 4]
    assert order("least-confident", Pool(documents)) == [0, 1, 3, 2, 4]


def test_doubt_about_new_texts_is_weighed_against_the_work() -> None:
    documents = [
        Unlabelled("a", "", (1.0,), ("Gout",)),
        Unlabelled("b", "", (1.0, 1.9), ("gout", "wheeze")),
        Unlabelled("c", "", (1.0,), ("scurvy",)),
        Unlabelled("d", "", (1.2, 1.9, 1.8), ("gout", "wheeze", "scurvy")),
        Unlabelled("e", ""),
    ]
    # gout is in three documents, and least work in a; scurvy by c; wheeze by b, with fewer mentions than d
    assert order("most-doubt", Pool(documents))[:3] == [0, 2, 1]
    assert order("most-doubt", Pool(documents, known={"GOUT"}))[:2] == [2, 1]
    assert order("most-doubt", Pool(documents, known={"gout", "scurvy"}))[0] == 1


def test_doubt_is_looked_at_where_a_text_is_least_sure() -> None:
    documents = [
        Unlabelled("a", "", (2.0,), ("gout",)),
        Unlabelled("b", "", (0.0, 2.0), ("gout", "wheeze")),
        Unlabelled("c", "", (1.5,), ("scurvy",)),
    ]
    assert order("most-doubt", Pool(documents)) == [0, 2, 1]


@pytest.mark.parametrize("name", sorted(blind))
def test_strategies_called_blind_look_at_no_predictions(name: str) -> None:
    bare = [Unlabelled(document.name, document.text) for document in POOL.documents]
    assert order(name, POOL) == order(name, Pool(bare, POOL.labelled, seed=POOL.seed))


def test_random_depends_on_the_seed_and_a_new_document_moves_no_other() -> None:
    documents = [Unlabelled(str(number), "") for number in range(30)]
    first = order("random", Pool(documents, seed=1))
    assert first != order("random", Pool(documents, seed=2))
    more = order("random", Pool([*documents, Unlabelled("new", "")], seed=1))
    assert [place for place in more if place != 30] == first


def test_diversity_prefers_what_is_unlike_all_that_is_known() -> None:
    assert set(order("diversity", POOL)[:2]) == {2, 3}
    assert order("diversity", POOL)[-1] in (0, 1)


def test_an_unknown_strategy_lists_the_choices() -> None:
    with pytest.raises(
        UnknownNameError, match="diversity, least-confident, least-confident-new, most-doubt, random"
    ):
        order("best", POOL)


def _link(*scores: float, recognised: float | None = None) -> Link:
    mention = Mention.alone("x")
    if recognised is not None:
        mention = Mention(mention.document, 0, 1, "x", confidence=recognised)
    return Link(mention, candidates=[Candidate(str(n), "", score, "") for n, score in enumerate(scores)])


def test_confidence_is_the_recognisers_plus_the_margin() -> None:
    assert confidence(_link(0.9, 0.5, 0.1, recognised=0.5)) == pytest.approx(0.9)
    assert confidence(_link(0.9, 0.5)) == pytest.approx(1.4)
    assert confidence(_link(0.7)) == pytest.approx(1.7)
    assert confidence(_link()) == 1.0
    assert confidence(_link(1.7, -0.3)) == 2.0
    parts = Link(Mention.alone("x"), parts=(_link(0.9, 0.1), _link(0.9, 0.8)))
    assert confidence(parts) == pytest.approx(1.1)


@pytest.mark.parametrize("strategy", sorted(strategies))
def test_every_document_has_a_reason_that_fits_its_place(strategy: str) -> None:
    documents = [
        Unlabelled("a", "Gout and asthma.", (0.4, 1.9), ("Gout", "asthma"), (0.995, 0.3)),
        Unlabelled("b", "gout", (0.9,), ("gout",), (0.086,)),
        Unlabelled("c", "Nothing here.", (), ()),
        Unlabelled("d", "scurvy", (1.5,), ("scurvy",)),
    ]
    pool = Pool(documents, known={"asthma"}, seed=1)
    placed = order(strategy, pool)
    why = dict(zip((documents[place].name for place in placed), explain(strategy, pool, placed), strict=True))
    assert why.keys() == {"a", "b", "c", "d"}
    assert all(reason.endswith(".") and len(reason) < 200 for reason in why.values())
    if strategy == "most-doubt":  # b has fewer mentions to check
        assert why["b"] == "One new text, least sure of “gout” (9 % sure, also in 1 other waiting document)."
        assert why["a"] == "Nothing new: all its texts are annotated already, or in documents before it."
    if strategy == "least-confident":
        assert why["a"] == "The model is least sure of “Gout” (99 % sure)."
        assert why["d"] == "The model is least sure of “scurvy”."
    if strategy not in blind:
        assert why["c"] == "The model found nothing in it."


def test_a_strategy_of_ones_own_needs_no_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(strategies, "backwards", lambda pool: list(range(len(pool.documents)))[::-1])
    pool = Pool([Unlabelled("a", "a"), Unlabelled("b", "b")])
    assert explain("backwards", pool, order("backwards", pool)) == ["The strategy backwards put it here."] * 2
