"""What a mention may be read as besides what it says, and that all of it is searched for at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.link.variants import Rewrite, Variants, rewrite
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology
from linnet.types import Concept, Document, Mention


def never(text: str) -> None:
    """A vocabulary that corrects nothing."""


def test_doses_go_in_any_case() -> None:
    assert rewrite("aspirin 100 mg", "aspirin 100 mg", never) == Rewrite("aspirin", None)


def test_symbols_are_spelt_out_unless_the_document_defines_them() -> None:
    assert rewrite("Na+", "Na+", never) == Rewrite("sodium", np.inf)
    assert rewrite("FK506", "a new agent", never) == Rewrite("FK506", np.inf)
    short = rewrite("Na", "noradrenaline", never)
    assert short is not None
    assert short.within is not None


def test_clinical_short_forms_are_written_out_where_asked_and_the_document_does_not_define_them() -> None:
    assert rewrite("T1DM", "T1DM", never) is None
    assert rewrite("T1DM", "T1DM", never, shorthand=True) == Rewrite(
        "type 1 diabetes mellitus", np.inf, Origin.ABBREVIATION
    )
    assert rewrite("T1DM", "a new agent", never, shorthand=True) == Rewrite("T1DM", np.inf)
    assert rewrite("MS", "MS", never, shorthand=True) is None  # several readings
    assert rewrite("Lipitor", "Lipitor", never, shorthand=True) is None  # a brand
    assert rewrite("chronic T1DM", "chronic T1DM", never, shorthand=True) is None


SHORT = (
    Concept("T:1", "Sialic Acid Storage Disease", ("SD",)),
    Concept("T:2", "Sexual Dysfunctions, Physiological", ("sexual dysfunction of men",)),
    Concept("T:3", "Von Hippel-Lindau Syndrome", ("VHL",)),
)


@pytest.mark.parametrize(
    ("text", "short", "concept"),
    [
        ("Patients with a sexual dysfunction (SD) were seen.", "SD", "T:2"),
        ("Patients with SD were seen.", "SD", "T:1"),
        ("In von Hippel-Lindau (VHL) families.", "VHL", "T:3"),
    ],
)
def test_what_the_document_defines_comes_before_a_short_name(
    compile_terminology: Callable[[Sequence[Concept]], Terminology], text: str, short: str, concept: str
) -> None:
    linker = Linker.open([compile_terminology(SHORT)], pipeline=Pipeline(reranker=None))
    start = text.index(short)
    document = Document("d", text, (Mention(None, start, start + len(short), short),))
    (link,) = linker.link(document.mentions)
    assert link.concepts == (concept,)


def test_misspelt_words_are_corrected_and_say_so() -> None:
    found = rewrite("brest cancer", "brest cancer", {"brest cancer": "breast cancer"}.get)
    assert found is not None
    assert (found.text, found.origin) == ("breast cancer", Origin.SPELLING)
    assert found.gain is not None
    assert 0 < found.gain < 1
    assert rewrite("breast cancer", "breast cancer", never) is None


def test_the_parts_of_a_composite_are_those_of_text_and_rewrite() -> None:
    text, other = "breast or ovarian cancr", Rewrite("breast or ovarian cancer", 0.1)
    texts = list(Variants.of(text, other, composites=True).texts())
    assert texts[:2] == [text, other.text]
    assert {"breast cancr", "breast cancer", "ovarian cancer"} < set(texts)
    assert list(Variants.of(text, other, composites=False).texts()) == [text, other.text]
    dosed = Variants.of("aspirin and ibuprofen 5 mg", Rewrite("aspirin and ibuprofen", None), composites=True)
    assert list(dosed.splits) == ["aspirin and ibuprofen"]
    assert list(Variants.of_name("cold").texts()) == ["cold"]


def in_text(*texts: str) -> list[Mention]:
    """Mentions with context; strings without are read in other ways too."""
    return [Mention.alone(text, left="We saw", right="again.") for text in texts]


Searches = list[Sequence[str]]


def searches(linker: Linker, monkeypatch: pytest.MonkeyPatch, *, many_names: bool = True) -> Searches:
    """The texts of each search from now on. many_names: as in a large terminology, parts are searched for if they may win."""
    monkeypatch.setattr("linnet.link.linker._MANY_NAMES", 0 if many_names else 1000)
    searched: Searches = []
    search = linker.group.search

    def counted(texts: Sequence[str], **options: Any) -> Hits:
        searched.append(texts)
        return search(texts, **options)

    monkeypatch.setattr(linker.group, "search", counted)
    return searched


@pytest.mark.parametrize("together", [1, 2])
def test_a_call_searches_for_all_mentions_at_once_and_then_for_parts_that_may_win(
    terminology: Terminology, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    linker = Linker.open([terminology] * together, pipeline=Pipeline(reranker=None))
    searched = searches(linker, monkeypatch)
    first = linker.link(in_text("aspirin 100 mg", "breast and ovarian cancer", "brest cancr", "cold"))
    mentions, parts = searched
    assert set(mentions) == {"aspirin", "breast and ovarian cancer", "breast cancer", "cold"}
    assert list(parts) == ["ovarian cancer"]
    searched.clear()
    # What is remembered gives the same links.
    assert linker.link(in_text("cold", "breast and ovarian cancer", "aspirin 100 mg")) == [
        first[3],
        first[1],
        first[0],
    ]
    assert not searched


def test_parts_that_cannot_beat_the_whole_are_not_searched_for(
    terminology: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None))
    searched = searches(linker, monkeypatch)
    # A name but for the order of its words; "temperature" alone is none, so that no way to split it wins.
    linker.link(in_text("temperature, cold"))
    # Nearly a name: its parts would have to score more than 1 on average.
    linker.link(in_text("ovarian neoplasms and"))
    assert [list(texts) for texts in searched] == [["temperature, cold"], ["ovarian neoplasms and"]]


def test_a_small_terminology_is_searched_for_mentions_and_parts_at_once_with_the_same_links(
    terminology: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    mentions = in_text(
        "aspirin 100 mg", "breast and ovarian cancer", "temperature, cold", "brest cancr", "cold"
    )
    small, large = (Linker.open([terminology], pipeline=Pipeline(reranker=None)) for _ in range(2))
    searched = searches(small, monkeypatch, many_names=False)
    links = small.link(mentions)
    assert len([texts for texts in searched if texts]) == 1
    searched = searches(large, monkeypatch)
    assert large.link(mentions) == links
    assert len([texts for texts in searched if texts]) == 2


def test_the_text_is_searched_for_where_only_scores_tell_whether_its_rewrite_is_better(
    terminology: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None))
    searched = searches(linker, monkeypatch)
    linker.link(in_text("brest cancr of childhood"))
    assert [list(texts) for texts in searched] == [["brest cancr of childhood", "breast cancer of childhood"]]


def test_parts_are_searched_for_where_scores_have_no_bound(
    compile_terminology: Callable[[Sequence[Concept]], Terminology], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminology = compile_terminology([Concept("T:1", "Ovarian Neoplasms"), Concept("T:2", "Fever")])
    build_indexes(terminology, ("bm25",))
    linker = Linker.open([terminology], pipeline=Pipeline(retrievers=("exact", "bm25"), reranker=None))
    searched = searches(linker, monkeypatch)
    linker.link(in_text("fever and chills"))
    assert [set(texts) for texts in searched] == [{"fever and chills"}, {"fever", "chills"}]


def test_exact_scores_include_forced_links_without_an_exact_index(
    compile_terminology: Callable[[Sequence[Concept]], Terminology],
) -> None:
    terminology = compile_terminology([Concept("T:1", "Ovarian Neoplasms"), Concept("T:2", "Fever")])
    (terminology.path / "overrides.tsv").write_text("pyrexia\tT:2\tforce\n")
    linker = Linker.open([terminology], pipeline=Pipeline(retrievers=("dense",), reranker=None))
    best = linker.group.exact(["pyrexia", "fever"], k=3).best
    assert best[0] > 1
    assert best[1] == 0
