"""The inputs of a dual encoder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from linnet.rerank.dual_inputs import (
    DescribedConcept,
    MentionInContext,
    describe_concept,
    mentions_in_context,
)
from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

TEXT = "Colds are common. He had a COLD in winter. Nothing else happened."


DOCUMENT = Document("d", TEXT)


def mention(text: str) -> Mention:
    start = TEXT.index(text)
    return Mention(DOCUMENT, start, start + len(text), text)


def test_a_mention_has_the_rest_of_its_sentence_in_folded_form() -> None:
    [found] = mentions_in_context([mention("COLD")], ["common Cold"])
    assert found == MentionInContext("he had a", "common cold", "in winter.")


def test_a_mention_across_a_sentence_end_has_both_sentences() -> None:
    [found] = mentions_in_context([mention("winter. Nothing")], ["winter. Nothing"])
    assert (found.left, found.right) == ("he had a cold in", "else happened.")


def test_a_mention_without_context_has_none() -> None:
    assert mentions_in_context([Mention.alone("cold")], ["cold"]) == [MentionInContext("", "cold", "")]
    assert mentions_in_context([Mention.alone(" ")], [" "]) == [MentionInContext("", "", "")]


def test_a_concept_is_described_by_types_and_distinct_names_preferred_first(tmp_path: Path) -> None:
    concept = Concept("T:1", "Gout", ("Podagra", "GOUT", "gouty arthritis"), ("Disease", "Finding"))
    terminology = write_terminology([concept], tmp_path / "t", sources=[])
    assert describe_concept(terminology, 0, names=9) == DescribedConcept(
        "disease finding", ("gout", "podagra", "gouty arthritis")
    )
    assert describe_concept(terminology, 0, names=1).names == ("gout",)


def test_abbreviations_of_the_context_are_expanded_where_documents_define_them() -> None:
    text = "Gouty arthritis (GA) is painful. Severe GA and fever were treated."
    document = Document("e", text)
    fever, other = (Mention(document, at, at + 5, "fever") for at in (text.index("fever"), 0))
    elsewhere = replace(fever, document=Document("f", text.replace("(GA)", "")))
    kept, expanded, undefined = (
        mentions_in_context([one], ["fever"], defining=defining)[0]
        for one, defining in ((fever, None), (fever, [other]), (elsewhere, [other]))
    )
    assert kept.left == "severe ga and"
    assert expanded == MentionInContext("severe gouty arthritis and", "fever", "were treated.")
    assert "arthritis" not in undefined.left
