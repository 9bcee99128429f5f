"""Names that the tagger does not see: what speaks for and against them."""

from __future__ import annotations

from linnet.recognise.gazetteer import Gazetteer
from linnet.recognise.name_evidence import FEATURES, Judgement, feature_rows, name_judge
from linnet.types import Document, Mention

NOTE = "ALLERGIES: none\nPMH: HTN, gout, breast ca.\nRx: Zumatol 20 mg po daily. Pt has no SOB. She was seen today."
ARTICLE = (
    "We studied the association of HTN with outcomes in the two groups of patients, and of gout with age."
)
DISEASES = Gazetteer.of(["gout", "hypertension"])
JUDGE = name_judge([Gazetteer(DISEASES.hashes, "mesh-diseases")])


def mention(text: str, name: str, type: str = "Disease") -> Mention:
    start = text.index(name)
    return Mention(Document("d", text), start, start + len(name), name, type)


def features(text: str, name: str, judgement: Judgement, type: str = "Disease") -> dict[str, float]:
    [row] = feature_rows(
        [mention(text, name, type)], [judgement], [Gazetteer(DISEASES.hashes, "mesh-diseases")]
    )
    return dict(zip(FEATURES, row.tolist(), strict=True))


def test_features_say_what_the_name_is_and_where_it_stands() -> None:
    label = features(NOTE, "ALLERGIES", Judgement(0.5, 0.5))
    assert (label["label"], label["exact"], label["several words"], label["mesh"]) == (1, 0, 0, 0)
    short = features(NOTE, "breast ca", Judgement(0.1, 0.9))
    assert short["shorthand"] == short["several words"] == short["ends phrase"] == 1
    assert short["exact"] == -short["within"] < 0
    assert features(NOTE, "gout", Judgement(0.1, 0.1))["mesh"] == 1
    assert features(NOTE, "Zumatol", Judgement(0.1, 0.1), "Chemical")["chemical"] == 1
    longer = features(NOTE, "breast ca", Judgement(0.1, 0.9, held=0.9, other_held=True, added=" ca"))
    assert longer["holds"] == longer["other held"] == longer["adds a letter"] == 1
    assert longer["holds exact"] == longer["exact"] < 0 < longer["held"]
    assert short["holds"] == short["held"] == short["adds a letter"] == short["seldom"] == 0
    assert features(NOTE, "gout", Judgement(0.1, 0.1, seldom=True))["seldom exact"] == short["exact"]
    assert feature_rows([], [], []).shape == (0, len(FEATURES))


def test_a_name_is_more_probable_the_more_the_tagger_sees_of_it_and_in_a_note() -> None:
    def probability(text: str, name: str, exact: float, within: float) -> float:
        [p] = JUDGE([mention(text, name)], [Judgement(exact, within)])
        return p

    for text in (NOTE, ARTICLE):
        seen = [probability(text, "gout", p, p) for p in (0.0, 0.01, 0.1, 0.3)]
        assert seen == sorted(seen)
        assert 0 <= seen[0] < seen[-1] <= 1
    assert probability(NOTE, "HTN", 0.01, 0.01) > 2 * probability(ARTICLE, "HTN", 0.01, 0.01)
