"""The probability of links in notes."""

from __future__ import annotations

from linnet import load
from linnet.link.note_confidence import as_in_a_note
from linnet.types import Candidate, Document, Link, Mention

NOTE = "PMH: HTN, DM2. Pt c/o chest pain x 2 days, no SOB."
PAPER = "We studied the association of the gene with breast cancer in 200 families."


def _link(text: str, probability: float | None, confidence: float | None) -> Link:
    mention = Mention(Document("1", text), 0, 2, text[:2], "Disease", confidence=confidence)
    return Link(mention, ("T:1",) if probability else (), "one", probability)


def test_the_confidence_of_the_mention_counts_in_notes() -> None:
    sure, unsure = as_in_a_note(_link(NOTE, 0.95, 0.99)), as_in_a_note(_link(NOTE, 0.95, 0.6))
    assert sure.probability is not None
    assert unsure.probability is not None
    assert 0.5 < unsure.probability < sure.probability < 0.97


def test_literal_names_and_several_words_are_surer_in_notes() -> None:
    def probability(end: int, origin: str) -> float:
        mention = Mention(Document("1", NOTE), 0, end, NOTE[:end], "Disease", confidence=0.8)
        link = Link(mention, ("T:1",), "one", 0.8, (Candidate("T:1", "one", 1.0, origin),))
        return as_in_a_note(link).probability or 0.0

    reranked, literal, several = (
        probability(3, "exact+reranked"),
        probability(3, "exact"),
        probability(8, "exact"),
    )
    assert reranked == probability(3, "dense") < literal < several


def test_what_names_a_service_with_the_next_word_is_less_sure() -> None:
    def probability(text: str) -> float:
        mention = Mention(Document("1", text), 5, 8, "HTN", "Disease", confidence=0.9)
        return as_in_a_note(Link(mention, ("T:1",), "one", 0.9)).probability or 0.0

    plain, service = probability(NOTE), probability(NOTE.replace("HTN,", "HTN clinic,"))
    assert service < plain
    assert (
        plain
        == probability(NOTE.replace("HTN,", "HTN and"))
        == probability(NOTE.replace("HTN,", "HTN: clinic"))
    )


def test_a_title_before_and_a_dose_behind_tell_persons_from_drugs() -> None:
    def probability(before: str, after: str) -> float:
        text = f"{NOTE} {before}gold{after}"
        start = text.index("gold")
        mention = Mention(Document("1", text), start, start + 4, "gold", "Chemical", confidence=0.9)
        return as_in_a_note(Link(mention, ("T:1",), "one", 0.9)).probability or 0.0

    plain = probability("per ", ". Seen")
    assert probability("per Dr ", ". Seen") < plain < probability("per ", " 50 mg weekly")
    assert probability("per Mrs. ", ". Seen") < plain == probability("per drug ", ". Seen")


def test_papers_what_a_person_decided_nil_and_given_mentions_stay() -> None:
    links = [_link(PAPER, 0.95, 0.6), _link(NOTE, 1.0, 0.6), _link(NOTE, None, 0.6), _link(NOTE, 0.95, None)]
    assert list(map(as_in_a_note, links)) == links


def test_what_is_asked_to_be_sure_is_sure_in_notes_too() -> None:
    linker = load("starter", min_probability=0.9)
    found = [m.link for m in linker.annotate(NOTE + " Asthma? Query gout. Fever, cough.").mentions]
    assert any(link.concepts for link in found)
    assert all(link.probability is None or link.probability >= 0.9 for link in found)
