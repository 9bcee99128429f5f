"""The linker on invented concepts: what it answers, and what the answer may not depend on."""

from __future__ import annotations

import pickle
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.advised import advises

import linnet
import linnet.link.linker as linker_module
from linnet.advice import Step
from linnet.errors import MismatchError, RequestError, StoreError, UnknownNameError
from linnet.jobs.records import read_link
from linnet.link import Linker, Pipeline
from linnet.link.identity import identity
from linnet.terminology import Terminology
from linnet.types import Concept, Document, Link, Mention

Compile = Callable[[Sequence[Concept]], Terminology]

TEXTS = [
    "breast cancer",
    "AT",
    "breast and ovarian cancer",
    "cold",
    "Sjogren syndrome",
    "aspirin 100 mg",
    "Na+",
    "brest cancr",
    "",
    "日本語 😀",
    "Na+",
]


@pytest.fixture(scope="module")
def linker(terminology: Terminology) -> Linker:
    return Linker.open([terminology])


def ids(links: Sequence[Link]) -> list[tuple[str, ...]]:
    return [link.concepts for link in links]


def test_links_come_in_the_order_of_the_mentions(linker: Linker) -> None:
    links = linker.link(TEXTS)
    assert [link.mention.text for link in links] == TEXTS
    assert [link.concepts for link in reversed(linker.link(TEXTS[::-1]))] == ids(links)


def test_one_by_one_gives_what_all_at_once_gives(terminology: Terminology) -> None:
    together = Linker.open([terminology]).link(TEXTS, k=3)
    alone = Linker.open([terminology])
    assert [alone.link([text], k=3)[0] for text in TEXTS] == together


def test_the_number_of_threads_changes_nothing(terminology: Terminology) -> None:
    one, four = (Linker.open([terminology], threads=threads).link(TEXTS) for threads in (1, 4))
    assert one == four


def test_a_linker_may_be_used_from_many_threads(linker: Linker, terminology: Terminology) -> None:
    expected = linker.link(TEXTS)
    fresh = Linker.open([terminology])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: fresh.link(TEXTS), range(12)))
    assert all(links == expected for links in found)


@pytest.mark.parametrize("k", [0, -1])
def test_no_candidates_are_no_answer(linker: Linker, k: int) -> None:
    with pytest.raises(RequestError, match=f"k is {k}"):
        linker.link(["gout"], k=k)
    with pytest.raises(RequestError, match=f"k is {k}"):
        linker.annotate("gout", k=k)


def test_a_single_text_is_not_taken_for_a_list_of_letters(linker: Linker) -> None:
    with pytest.raises(RequestError, match=r"Write: link\(\['gout'\]\)"):
        linker.link("gout")


def test_where_several_indexes_are_missing_one_command_builds_all(
    terminology: Terminology, tmp_path: Path
) -> None:
    bare = shutil.copytree(
        terminology.path, tmp_path / "bare", ignore=lambda folder, names: {"index"} & set(names)
    )
    with pytest.raises(
        StoreError,
        match=r"lacks the indexes exact, dense\.",
        check=advises(Step.BUILD_INDEX, retrievers=["exact", "dense"]),
    ):
        Linker.open([bare])


def test_a_different_k_between_calls_changes_no_answer(linker: Linker) -> None:
    wide = linker.link(TEXTS, k=8)
    narrow = linker.link(TEXTS, k=1)
    assert ids(narrow) == ids(wide)
    assert all(len(link.candidates) <= 1 for link in narrow)
    assert linker.link(TEXTS, k=8) == wide


def test_no_mentions_give_no_links(linker: Linker) -> None:
    assert linker.link([]) == []
    assert list(linker.link_documents([], recognise=True)) == []


def test_a_homonym_lists_both_concepts_lowest_id_first(terminology: Terminology) -> None:
    [link] = Linker.open([terminology], pipeline=Pipeline(reranker=None)).link(["cold"])
    assert [c.concept for c in link.candidates][:2] == ["T:4", "T:5"]
    assert link.candidates[0].score == link.candidates[1].score
    assert link.name == "Common Cold"


def test_a_name_matches_exactly_and_says_so(linker: Linker) -> None:
    [best, *_] = linker.link(["acetylsalicylic acid"])[0].candidates
    assert (best.concept, best.name, best.origin) == ("T:6", "acetylsalicylic acid", "exact")


def test_an_accent_or_a_slip_of_the_pen_is_forgiven(linker: Linker) -> None:
    assert ids(linker.link(["Sjogren syndrome", "ovarian cancerr"])) == [("T:8",), ("T:3",)]


@pytest.mark.parametrize("text", ["", " ", "\n\t", "日本語 😀", "…"])
def test_what_shares_nothing_with_any_name_is_nil(linker: Linker, text: str) -> None:
    [link] = linker.link([text])
    assert (link.concepts, link.name, link.probability) == ((), "", None)
    assert text.strip() or not link.candidates


def test_k_may_exceed_the_number_of_concepts(linker: Linker) -> None:
    [link] = linker.link(["breast cancer"], k=100)
    found = [c.concept for c in link.candidates]
    assert found[0] == "T:2"
    assert len(set(found)) == len(found) <= 8


def test_scores_never_rise_along_the_candidates(linker: Linker) -> None:
    for link in linker.link(TEXTS, k=8):
        scores = [candidate.score for candidate in link.candidates]
        assert scores == sorted(scores, reverse=True)


# ── readings ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_mentions_of_one_document_id_share_an_abbreviation(compile_terminology: Compile) -> None:
    linker = Linker.open([compile_terminology([Concept("T:1", "ataxia telangiectasia")])])
    defining = Mention.alone("ataxia telangiectasia", right=" (ATX) is rare", document="d1")
    short = Mention.alone("ATX", left="Carriers of ", document="d1")
    other = Mention.alone("ATX", left="Carriers of ", document="d2")
    links = linker.link([short, other, defining])
    assert links[0].concepts == ("T:1",)
    assert links[0].candidates[0].origin == "exact+abbreviation"
    assert links[1].concepts != ("T:1",)
    assert not any("abbreviation" in candidate.origin for candidate in links[1].candidates)


def test_abbreviations_can_be_switched_off(terminology: Terminology) -> None:
    mention = Mention.alone("LBS", left="Louis-Bar syndrome (", right=")")
    [on], [off] = (
        Linker.open([terminology], pipeline=Pipeline(abbreviations=wanted)).link([mention])
        for wanted in (True, False)
    )
    assert (on.concepts, on.candidates[0].origin) == (("T:1",), "exact+abbreviation")
    assert off.concepts != ("T:1",)
    assert not any("abbreviation" in candidate.origin for candidate in off.candidates)


def test_a_composite_has_parts_with_links_of_their_own(linker: Linker) -> None:
    [link] = linker.link(["breast and ovarian cancer"])
    assert link.concepts == ("T:2", "T:3")
    assert [part.concepts for part in link.parts] == [("T:2",), ("T:3",)]
    assert [part.name for part in link.parts] == ["Breast Neoplasms", "Ovarian Neoplasms"]
    assert link.name == "Breast Neoplasms"


def test_a_list_of_names_by_their_last_signs_is_linked_to_all_of_them(compile_terminology: Compile) -> None:
    concepts = [Concept(f"T:{sign}", f"Zarnitis {sign}") for sign in "ABCD"]
    linker = Linker.open([compile_terminology(concepts)])
    document = Document("1", "They had zarnitis B or C, not zarnitis A.")
    [link] = linker.link([Mention(document, 9, 24, "zarnitis B or C")])
    assert link.concepts == ("T:B", "T:C")
    assert [part.mention.text for part in link.parts] == ["zarnitis B", "zarnitis C"]


def test_composites_can_be_switched_off(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(composites=False))
    assert linker.link(["breast and ovarian cancer"])[0].parts == ()


def test_a_text_that_is_a_name_is_never_split(compile_terminology: Compile) -> None:
    concepts = [Concept("T:1", "nausea and vomiting"), Concept("T:2", "nausea"), Concept("T:3", "vomiting")]
    [link] = Linker.open([compile_terminology(concepts)]).link(["Nausea and vomiting"])
    assert (link.concepts, link.parts) == (("T:1",), ())


def test_a_dose_is_dropped_and_a_symbol_is_spelt_out(linker: Linker) -> None:
    assert ids(linker.link(["aspirin 100 mg", "Na+"])) == [("T:6",), ("T:7",)]


# ── overrides and filters ────────────────────────────────────────────────────────────────────────────────────


def test_an_override_forces_a_concept(own_terminology: Path) -> None:
    (own_terminology / "overrides.tsv").write_text("COLD\tT:5\tforce\n")
    [link] = Linker.open([own_terminology]).link(["cold"])
    assert link.concepts == ("T:5",)
    assert link.candidates[0].origin == "override"


def test_an_override_forbids_one_concept_or_all(own_terminology: Path) -> None:
    (own_terminology / "overrides.tsv").write_text("cold\tT:4\tforbid\nbreast cancer\t*\tforbid\n")
    cold, breast = Linker.open([own_terminology]).link(["cold", "breast cancer"])
    assert cold.concepts == ("T:5",)
    assert breast.concepts == ()


@pytest.mark.parametrize(
    ("override", "text", "expected"),
    [
        ("asprin\t*\tforbid", "asprin", ()),  # a misspelt word set right
        ("asprin\tT:6\tforbid", "asprin", ()),
        ("asprin\tT:7\tforce", "asprin", ("T:7",)),
        ("aspirin 100 mg\t*\tforbid", "aspirin 100 mg", ()),  # without its dose
        ("aspirin 100 mg\tT:7\tforce", "aspirin 100 mg", ("T:7",)),
        ("breast and ovarian cancer\t*\tforbid", "breast and ovarian cancer", ()),  # its parts
        ("breast and ovarian cancer\tT:2\tforce", "breast and ovarian cancer", ("T:2",)),
        ("Na+\t*\tforbid", "Na+", ()),  # a symbol spelt out
    ],
)
@pytest.mark.parametrize("reranker", [None, "context"])
def test_an_override_has_the_last_word_over_every_reading(
    own_terminology: Path, override: str, text: str, expected: tuple[str, ...], reranker: str | None
) -> None:
    before = Linker.open([own_terminology], pipeline=Pipeline(reranker=reranker)).link([text])
    assert before[0].concepts not in ((), expected)
    (own_terminology / "overrides.tsv").write_text(override + "\n")
    [link] = Linker.open([own_terminology], pipeline=Pipeline(reranker=reranker)).link([text])
    assert link.concepts == expected
    assert not link.parts


@pytest.mark.parametrize("composites", [True, False])
def test_what_a_person_decided_is_certain_whatever_the_threshold(
    own_terminology: Path, composites: bool
) -> None:
    pipeline = Pipeline(min_probability=1.0, min_probability_recognised=1.0, composites=composites)
    (own_terminology / "overrides.tsv").write_text(
        "cold\tT:5\tforce\tby Eve\nbreast cancer\t*\tforbid\nasprin and salt\tT:6|T:7\tforce\n"
    )
    linker = Linker.open([own_terminology], pipeline=pipeline)
    for link in (linker.link, linker.link_recognised):
        cold, breast, both = link([Mention.alone(t) for t in ("Cold ", "breast cancer", "asprin and salt")])
        assert (cold.concepts, cold.probability, cold.origin) == (("T:5",), 1.0, "override")
        assert (breast.concepts, breast.probability, breast.origin) == ((), 1.0, "override")
        assert (both.concepts, both.probability) == (("T:6", "T:7"), 1.0)
        assert [part.origin for part in both.parts] == ["override"] * 2


def test_an_override_of_a_part_holds_in_the_composite(own_terminology: Path) -> None:
    text = "breast and ovarian cancer"
    before = Linker.open([own_terminology]).link([text])[0]
    (own_terminology / "overrides.tsv").write_text("ovarian cancer\tT:6|T:7\tforce\n")
    [link] = Linker.open([own_terminology]).link([text])
    assert link.concepts == (before.concepts[0], "T:6", "T:7")
    assert [part.origin for part in link.parts[1:]] == ["override"] * 2


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("breast cancer and ovarian cancer", ("T:2",)),
        ("aspirin, breast cancer and ovarian cancer", ("T:6", "T:2")),
        ("breast cancer\novarian cancer", ("T:2",)),
    ],
)
def test_a_part_that_is_forbidden_is_nil_by_decision_and_the_others_are_linked(
    own_terminology: Path, text: str, concepts: tuple[str, ...]
) -> None:
    before = Linker.open([own_terminology]).link([text])[0]
    assert before.concepts == (*concepts, "T:3")
    (own_terminology / "overrides.tsv").write_text("ovarian cancer\t*\tforbid\n")
    [link] = Linker.open([own_terminology]).link([text])
    assert link.concepts == concepts
    assert [part.probability for part in link.parts[:-1]] == [p.probability for p in before.parts[:-1]]
    last = link.parts[-1]
    assert (last.mention.text, last.concepts, last.candidates) == ("ovarian cancer", (), ())
    assert (last.probability, last.origin) == (1.0, "override")


def test_a_string_all_of_whose_parts_are_forbidden_is_nil(own_terminology: Path) -> None:
    (own_terminology / "overrides.tsv").write_text("breast cancer\t*\tforbid\ncold\t*\tforbid\n")
    [link] = Linker.open([own_terminology]).link(["breast cancer and cold"])
    assert link.concepts == ()
    assert [(part.concepts, part.origin) for part in link.parts] == [((), "override")] * 2


@pytest.mark.parametrize("text", ["aspirin 100 mg", "asprin", "Aspirin."])
def test_a_text_that_is_read_as_a_forbidden_name_is_nil_too(own_terminology: Path, text: str) -> None:
    (own_terminology / "overrides.tsv").write_text("aspirin\t*\tforbid\n")
    [link] = Linker.open([own_terminology]).link([text])
    assert (link.concepts, link.origin) == ((), "override")


def test_a_text_with_an_override_of_its_own_is_not_what_it_is_read_as(own_terminology: Path) -> None:
    (own_terminology / "overrides.tsv").write_text("aspirin\t*\tforbid\naspirin 100 mg\tT:7\tforce\n")
    [link] = Linker.open([own_terminology]).link(["aspirin 100 mg"])
    assert (link.concepts, link.probability) == (("T:7",), 1.0)


def test_a_decided_link_or_nil_says_so_in_json_and_after_it(own_terminology: Path) -> None:
    (own_terminology / "overrides.tsv").write_text("cold\tT:5\tforce\nbreast cancer\t*\tforbid\n")
    texts = ["cold", "breast cancer", "AT", "qwertz", "aspirin and breast cancer"]
    linked = Linker.open([own_terminology]).link(texts)
    records = [link.to_dict() for link in linked]
    assert [record.get("origin") for record in records] == ["override", "override", None, None, None]
    assert [part.get("origin") for part in records[-1]["parts"]] == [None, "override"]
    document = Document("d", "\n".join(texts))
    fields = {"start": 0, "end": 4, "type": ""}
    again = [read_link(record | fields, document) for record in records]
    assert [link.is_decided for link in again] == [link.is_decided for link in linked]


def test_a_file_of_overrides_holds_for_all_terminologies_and_in_other_processes(
    own_terminology: Path, compile_terminology: Compile, tmp_path: Path
) -> None:
    second = compile_terminology([Concept("U:1", "Aspirins of all kinds", ("aspirin",))])
    (tmp_path / "mine.tsv").write_text("asprin\tU:1|T:5\tforce\ncold\t*\tforbid\n")
    linker = linnet.load(own_terminology, second.path, overrides=tmp_path / "mine.tsv", reranker=None)
    for opened in (linker, pickle.loads(pickle.dumps(linker))):
        asprin, cold = opened.link(["asprin", "cold"])
        assert (asprin.concepts, asprin.probability) == (("U:1", "T:5"), 1.0)
        assert (cold.concepts, cold.probability) == ((), 1.0)


def test_an_override_holds_for_an_abbreviation_as_it_is_written(own_terminology: Path) -> None:
    text = "Ataxia telangiectasia (AT) is rare; AT carriers."
    mention = Mention(Document("d", text), 36, 38, "AT")
    assert Linker.open([own_terminology]).link([mention])[0].concepts == ("T:1",)
    (own_terminology / "overrides.tsv").write_text("AT\t*\tforbid\n")
    assert Linker.open([own_terminology]).link([mention])[0].concepts == ()


def test_an_override_of_one_terminology_leaves_the_other_ones_concepts(
    own_terminology: Path, compile_terminology: Compile
) -> None:
    second = compile_terminology([Concept("U:1", "Aspirins of all kinds", ("aspirin",))])
    (own_terminology / "overrides.tsv").write_text("asprin\t*\tforbid\n")
    [link] = Linker.open([own_terminology, second], pipeline=Pipeline(reranker=None)).link(["asprin"])
    assert [candidate.concept for candidate in link.candidates] == ["U:1"]
    (own_terminology / "overrides.tsv").unlink()
    (second.path / "overrides.tsv").write_text("asprin\tU:1\tforce\n")
    [link] = Linker.open([own_terminology, second], pipeline=Pipeline(reranker=None)).link(["asprin"])
    assert (link.concepts, link.candidates[0].name) == (("U:1",), "Aspirins of all kinds")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"concept_types": ["Phenomenon"]}, ("T:5",)),
        ({"sources": ["B"]}, ("T:5",)),
        ({"allow": ["T:5", "T:6"]}, ("T:5",)),
        ({"deny": ["T:4"]}, ("T:5",)),
        ({"deny": ["T:5"]}, ("T:4",)),
    ],
)
def test_filters_restrict_the_concepts(
    terminology: Terminology, filters: dict[str, list[str]], expected: tuple[str, ...]
) -> None:
    [link] = Linker.open([terminology], **filters).link(["cold"])  # type: ignore[arg-type]
    assert link.concepts == expected


def test_filtered_concepts_are_not_recognised_either(terminology: Terminology) -> None:
    document = Linker.open([terminology], concept_types=["Chemical"]).annotate(
        "Aspirin against breast cancer."
    )
    assert [mention.text for mention in document.mentions] == ["Aspirin"]


# ── several terminologies ────────────────────────────────────────────────────────────────────────────────────


def test_terminologies_with_different_concepts_under_one_id_are_refused(
    terminology: Terminology, compile_terminology: Compile
) -> None:
    other = compile_terminology([Concept(f"T:{number}", f"drug {number}") for number in range(1, 6)])
    with pytest.raises(RequestError, match="different concepts under equal ids"):
        Linker.open([terminology, other])


def test_rows_of_a_second_terminology_keep_their_names(
    terminology: Terminology, compile_terminology: Compile
) -> None:
    second = compile_terminology([Concept("U:1", "Gout", ("podagra",)), Concept("U:2", "cold")])
    linker = Linker.open([terminology, second], pipeline=Pipeline(reranker=None))
    gout, cold = linker.link(["podagra", "cold"])
    assert (gout.concepts, gout.name, gout.candidates[0].name) == (("U:1",), "Gout", "podagra")
    assert [c.concept for c in cold.candidates][:3] == ["T:4", "T:5", "U:2"]


def test_ties_go_to_the_terminology_named_first(
    terminology: Terminology, compile_terminology: Compile
) -> None:
    second = compile_terminology([Concept("A:1", "Aspirin")])
    retrieval = Pipeline(reranker=None)  # a reranker finds one of the concepts more probable
    for members, expected in (([terminology, second], "T:6"), ([second, terminology], "A:1")):
        assert Linker.open(members, pipeline=retrieval).link(["aspirin"])[0].concepts == (expected,)


def test_a_concept_of_two_terminologies_is_proposed_once_where_it_scores_best(
    terminology: Terminology, compile_terminology: Compile
) -> None:
    second = compile_terminology([Concept("T:6", "Aspirin", ("ASS 500",)), Concept("T:9", "Asparagine")])
    linker = Linker.open([terminology, second])
    for text in ("aspirin", "ASS 500", "aspirine"):
        [link] = linker.link([text], k=9)
        found = [candidate.concept for candidate in link.candidates]
        assert found[0] == "T:6"
        assert len(set(found)) == len(found)
    assert linker.link(["ASS 500"])[0].candidates[0].name == "ASS 500"


def test_the_same_terminology_twice_changes_nothing(terminology: Terminology, linker: Linker) -> None:
    assert Linker.open([terminology, terminology]).link(TEXTS, k=4) == linker.link(TEXTS, k=4)


# ── documents ────────────────────────────────────────────────────────────────────────────────────────────────


def test_annotating_finds_mentions_with_offsets_and_concepts(linker: Linker) -> None:
    text = "😀 Aspirin did not prevent breast cancer."
    document = linker.annotate(text)
    assert [(m.text, m.concepts) for m in document.mentions] == [
        ("Aspirin", ("T:6",)),
        ("breast cancer", ("T:2",)),
    ]
    assert all(text[m.start : m.end] == m.text for m in document.mentions)


def test_annotating_nothing_finds_nothing(linker: Linker) -> None:
    assert linker.annotate("").mentions == ()


def test_documents_are_linked_in_order_whatever_the_batch(
    linker: Linker, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [Document(str(n), f"Aspirin {'cures' * (n % 3)} cold number {n}") for n in range(7)]
    expected = list(linker.link_documents(documents, recognise=True))
    for name, value in (("DOCUMENTS", 2), ("CHARACTERS", 1)):
        monkeypatch.setattr(linker_module, name, value)
        assert list(linker.link_documents(documents, recognise=True)) == expected
    assert [linked.document.id for linked in expected] == [document.id for document in documents]


def test_documents_are_read_as_they_are_needed(linker: Linker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linker_module, "DOCUMENTS", 2)
    read: list[int] = []

    def documents() -> Iterator[Document]:
        for n in range(10):
            read.append(n)
            yield Document(str(n), "cold")

    next(linker.link_documents(documents(), recognise=True))
    assert read == [0, 1, 2]  # the third might have had the id of the second


def test_only_mentions_of_the_types_asked_for_are_kept_and_all_are_counted(linker: Linker) -> None:
    bare = Document("d", "cold aspirin")
    document = bare.with_mentions(
        [Mention(bare, 0, 4, "cold", "Disease", ("X:1",)), Mention(bare, 5, 12, "aspirin", "Chemical")]
    )
    seen: Counter[str] = Counter()
    [linked] = linker.link_documents([document], recognise=False, types=["disease"], types_seen=seen)
    assert [(m.text, m.concepts) for m in linked.document.mentions] == [("cold", ("T:4",))]
    assert [link.mention.document for link in linked.links] == [linked.document]
    assert seen == {"Disease": 1, "Chemical": 1}
    assert document.mentions[0].concepts == ("X:1",)


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_terminology_is_refused() -> None:
    with pytest.raises(RequestError, check=advises(Step.NAME_TERMINOLOGY)):
        Linker.open([])


def test_a_missing_index_names_the_command_that_builds_it(own_terminology: Path) -> None:
    shutil.rmtree(own_terminology / "index" / "dense")
    with pytest.raises(StoreError, check=advises(Step.BUILD_INDEX)):
        Linker.open([own_terminology])


def test_an_index_of_another_terminology_is_refused(
    compile_terminology: Compile, own_terminology: Path
) -> None:
    other = compile_terminology([Concept("T:1", "gout")])
    shutil.rmtree(own_terminology / "index" / "dense")
    shutil.copytree(other.path / "index" / "dense", own_terminology / "index" / "dense")
    with pytest.raises(MismatchError, check=advises(Step.UPDATE_INDEXES)):
        Linker.open([own_terminology])


def test_a_damaged_index_is_refused(own_terminology: Path) -> None:
    index = own_terminology / "index" / "dense"
    files = sorted(filter(Path.is_file, index.rglob("*")), key=lambda file: file.stat().st_size)
    with files[-1].open("r+b") as stream:
        stream.truncate(10)
    with pytest.raises(StoreError, check=advises(Step.BUILD_INDEX)):
        Linker.open([own_terminology])


def test_unknown_steps_list_what_there_is(terminology: Terminology) -> None:
    pipeline = Pipeline()
    with pytest.raises(UnknownNameError, match="exact"):
        Linker.open([terminology], pipeline=replace(pipeline, retrievers=("exactt",)))
    with pytest.raises(UnknownNameError, match="dictionary"):
        Linker.open([terminology], pipeline=replace(pipeline, recogniser="magic")).annotate("cold")
    with pytest.raises(MismatchError, match="Update linnet"):
        Pipeline.from_manifest({"telepathy": True})


# ── what callers do ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("value", [None, float("nan"), 7, b"cold"])
def test_a_value_that_is_no_text_is_refused_with_its_place(linker: Linker, value: object) -> None:
    with pytest.raises(
        RequestError, match=r"takes strings and Mentions; item 1 is .*Leave missing values out"
    ):
        linker.link(["cold", value])  # type: ignore[list-item]


def test_more_candidates_than_there_are_concepts_cost_no_memory(linker: Linker) -> None:
    [link] = linker.link(["cold"], k=10**12)
    assert 1 < len(link.candidates) <= len(linker.terminologies[0])


def test_a_linker_can_be_pickled_and_answers_alike(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None), deny={"T:4"}, threads=1)
    again = pickle.loads(pickle.dumps(linker))
    assert identity(again) == identity(linker)
    assert again.link(["cold", "asprin"]) == linker.link(["cold", "asprin"])


def test_a_linker_that_no_other_process_can_open_says_so(linker: Linker) -> None:
    alone = Linker(linker.group, linker.pipeline)
    with pytest.raises(pickle.PicklingError, match=r"Use Linker\.open or linnet\.load"):
        pickle.dumps(alone)
