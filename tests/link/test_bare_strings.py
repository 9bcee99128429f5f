"""Strings without context: which things they name, how sure that is, and that names are left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from linnet.link import Linker, Pipeline
from linnet.link.bare_strings import BareStrings, is_bare
from linnet.link.matches import Lookup
from linnet.rerank.calibrator import Calibrator, Curve
from linnet.terminology import Terminology
from linnet.types import Concept, Link, Mention

CONCEPTS = (
    Concept("T:1", "Hypertension", ("high blood pressure",)),
    Concept("T:2", "Diabetes Mellitus, Type 2", ("type 2 diabetes mellitus", "type 2 diabetes")),
    Concept("T:3", "Diabetes Mellitus, Type 1", ("type 1 diabetes mellitus", "type 1 diabetes")),
    Concept("T:4", "Breast Neoplasms", ("breast cancer",)),
    Concept("T:5", "Ovarian Neoplasms", ("ovarian cancer",)),
    Concept("T:6", "Head and Neck Neoplasms", ("head and neck cancer",)),
    Concept("T:7", "Asthma"),
    Concept("T:8", "Leukemia, Myeloid, Acute", ("acute myeloid leukemia",)),
    Concept("T:9", "Leukemia, Myeloid", ("myeloid leukemia",)),
    Concept("T:10", "Amoxicillin"),
    Concept("T:11", "Clavulanic Acid", ("clavulanate",)),
    Concept("T:12", "Pulmonary Embolism"),
    Concept("T:13", "Chest Pain"),
    Concept("T:14", "Cerebral Palsy"),
    Concept("T:15", "Pulse Echo Method", ("PE",)),
    Concept("T:16", "Unknown"),
    Concept("T:17", "Absent Thumb"),
    Concept("T:18", "Insulin Dependent Diabetes"),
    Concept("T:20", "Zarnitis B"),
    Concept("T:21", "Zarnitis C"),
    Concept("T:19", "Noninsulin-Dependent Diabetes Mellitus", ("non insulin dependent diabetes mellitus",)),
)


@pytest.fixture(scope="module")
def terminology(compile_terminology: Callable[[Sequence[Concept]], Terminology]) -> Terminology:
    return compile_terminology(CONCEPTS)


@pytest.fixture(scope="module")
def link(terminology: Terminology, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Link]:
    """Links a string; a match is as probable as its score."""
    place = tmp_path_factory.mktemp("calibrator")
    Calibrator({"retrieved": Curve((0.0, 1.0), (0.0, 1.0))}).save(place / "calibrator.json")
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None, calibrator=str(place)))
    return lambda text: linker.link([text])[0]


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("HTN", ("T:1",)),
        ("zarnitis B or C", ("T:20", "T:21")),
        ("Zarnitis B/C", ("T:20", "T:21")),
        ("HTN; T2DM; asthma", ("T:1", "T:2", "T:7")),
        (
            "1. HTN\n2. T2DM\n3. asthma\n4. breast cancer\n5. ovarian cancer",
            ("T:1", "T:2", "T:7", "T:4", "T:5"),
        ),
        ("breast and ovarian cancer", ("T:4", "T:5")),
        ("breast & ovarian cancer", ("T:4", "T:5")),
        ("type 1 and 2 diabetes", ("T:3", "T:2")),
        ("asthma with hypertension", ("T:7", "T:1")),
        ("asthma w/ HTN s/p PE 03/2019", ("T:7", "T:1", "T:12")),
        ("amoxicillin/clavulanate 500 mg/125 mg", ("T:10", "T:11")),
        ("Diabetes Mellitus, Type 2", ("T:2",)),
        ("head and neck cancer", ("T:6",)),
        ("cancer of head and neck", ("T:6",)),
        ("severe asthma, stable", ("T:7",)),
        ("asthma; see notes", ("T:7",)),
        ("asthma - resolved", ("T:7",)),
        ("severe acute myeloid leukaemia", ("T:8",)),
        ("h/o asthma [J45.9]", ("T:7",)),
        ("asthma, no chest pain", ("T:7",)),
        ("type 2 diabetes/asthma", ("T:2", "T:7")),
        ("breast & ovarian ca", ("T:4", "T:5")),
        ("asthma, letter typed", ("T:7",)),
        ("hipertensión arterial", ("T:1",)),
        ("asthma &#44; HTN", ("T:7", "T:1")),
        ("<p>asthma</p><p>breast cancer</p>", ("T:7", "T:4")),
        ("asthma\tHTN", ("T:7", "T:1")),
        ("asthma; HTN: no", ("T:7",)),
        ("HTN, asthma excluded", ("T:1",)),
        ("breast cancer, HER2 negative", ("T:4",)),
    ],
)
def test_what_a_string_names(link: Callable[[str], Link], text: str, concepts: tuple[str, ...]) -> None:
    assert link(text).concepts == concepts


def test_a_lay_name_is_a_synonym_and_a_short_form_an_abbreviation(link: Callable[[str], Link]) -> None:
    origins = [link(text).candidates[0].origin for text in ("hipertensión arterial", "HTN")]
    assert ["synonym" in origin for origin in origins] == [True, False]
    assert ["abbreviation" in origin for origin in origins] == [False, True]


@pytest.mark.parametrize(
    "text",
    ["n/a", "see notes", "Arm B", "Control group", "-", "12/03/2019", "no asthma", "John Smith", "&nbsp;", "asthma: no", "asthma absent",
     "HTN (denied)", "breast cancer ruled out", "neither asthma nor HTN", "non-asthma", "anti-asthma", "pseudoasthma",
     "asthma-like symptoms"],
)  # fmt: skip
def test_what_names_nothing_is_nil(link: Callable[[str], Link], text: str) -> None:
    found = link(text)
    assert (found.concepts, found.name, found.probability) == ((), "", None)


def test_a_placeholder_that_the_terminology_has_as_a_name_is_linked(link: Callable[[str], Link]) -> None:
    assert link("Unknown").concepts == ("T:16",)


def test_a_name_that_looks_like_a_denial_is_linked(link: Callable[[str], Link]) -> None:
    assert link("thumb absent").concepts == ("T:17",)
    assert link("non insulin dependent diabetes").concepts == ("T:19",)


def test_a_far_commoner_short_form_comes_before_a_synonym_written_the_same(
    link: Callable[[str], Link],
) -> None:
    assert link("PE").concepts == ("T:12",)


def test_without_the_glossary_no_short_form_is_written_out(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None, glossary=False))
    assert linker.link(["PE"])[0].concepts == ("T:15",)


def test_an_ambiguous_short_form_is_less_probable(link: Callable[[str], Link]) -> None:
    chest_pain, embolism = link("CP"), link("?PE")
    assert chest_pain.concepts == ("T:13",)
    assert chest_pain.probability is not None
    assert embolism.probability is not None
    assert chest_pain.probability < 0.65 < embolism.probability


def test_a_set_may_be_as_probable_as_its_parts_allow(link: Callable[[str], Link]) -> None:
    found = link("asthma; hypertension")
    assert found.probability is not None
    assert found.probability > 0.6
    assert [part.concepts for part in found.parts] == [("T:7",), ("T:1",)]


def test_composites_can_be_left_whole(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None, composites=False))
    assert not linker.link(["asthma; hypertension"])[0].parts


def test_links_do_not_depend_on_the_batch(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None))
    mentions = [
        "HTN",
        Mention.alone("asthma", left="severe"),
        "asthma; HTN",
        Mention.alone("HTN", left="no"),
        "n/a",
    ]
    assert linker.link(mentions) == [linker.link([mention])[0] for mention in mentions]


def test_a_mention_with_context_is_not_bare() -> None:
    assert is_bare(Mention.alone(" asthma "))
    assert not is_bare(Mention.alone("asthma", left="severe"))


def test_a_list_of_any_length_is_read(link: Callable[[str], Link]) -> None:
    names = [
        concept.name for concept in CONCEPTS if "," not in concept.name and concept.id not in ("T:15", "T:16")
    ]
    assert len(link("; ".join(names)).concepts) == len(names)
    assert link("; ".join(names * 20)).mention.text  # too many items: left whole, but answered


def test_the_calibrator_has_the_last_word_on_sets(terminology: Terminology, tmp_path: Path) -> None:
    curves = {"retrieved": Curve((0.0, 1.0), (0.0, 1.0)), "set": Curve((0.0, 1.0), (0.2, 0.2))}
    Calibrator(curves).save(tmp_path / "calibrator.json")
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None, calibrator=str(tmp_path)))
    assert linker.link(["asthma; hypertension"])[0].probability == 0.2


def _reader(names: dict[str, str], concept_names: Mapping[str, Sequence[str]] | None = None) -> BareStrings:
    """Reads strings with these texts → closest names; a text that is its own closest name is exact.

    concept_names  text → all names of its concept
    """

    def exact(texts: Sequence[str]) -> list[float]:
        return [1.0 if names.get(text) == text else 0.0 for text in texts]

    def best(texts: Sequence[str]) -> list[float]:
        return [0.9 if text in names else 0.2 for text in texts]

    lookup = Lookup(
        exact,
        best,
        lambda text: None,
        closest=lambda texts: [names.get(text, "") for text in texts],
        concept_names=lambda texts: [(concept_names or {}).get(text, ()) for text in texts],
    )
    return BareStrings(lookup, shorthand=False, composites=True)


def test_a_word_that_the_closest_name_has_is_not_left_out() -> None:
    known = {"dorn fever": "dorn fever", "severe dorn fever": "malignant severe dorn fever"}
    assert [part.text for part in _reader(known).readings(["severe dorn fever"])[0].parts] == [
        "severe dorn fever"
    ]
    known["severe dorn fever"] = "marsh fever of dorn"
    assert [part.text for part in _reader(known).readings(["severe dorn fever"])[0].parts] == ["dorn fever"]


def test_what_one_name_holds_together_is_not_divided() -> None:
    text = "pellosis with vell rash"
    parts = {"pellosis": "pellosis", "vell rash": "vell rash"}
    assert len(_reader(parts | {text: "marsh fever"}).readings([text])[0].parts) == 2
    assert len(_reader(parts | {text: "vell rash, pellosis"}).readings([text])[0].parts) == 1


@pytest.mark.parametrize("between", [", ", "/", " + "])
def test_a_list_of_names_is_divided_though_the_whole_is_much_like_one_of_them(between: str) -> None:
    text = f"pellosis{between}vell rash"
    parts = {"pellosis": "pellosis", "vell rash": "vell rash"}
    read = _reader(parts | {text: "marsh fever"}).readings([text])[0]
    assert [part.text for part in read.parts] == ["pellosis", "vell rash"]
    assert read.confidence > 0.8


def test_a_name_turned_round_is_not_taken_for_a_list() -> None:
    text = "vell rash, pellosis"
    parts = {"pellosis": "pellosis", "vell rash": "vell rash", text: "marsh fever"}
    names = {"pellosis": ["pellosis", "acute vell rash of pell"]}
    assert len(_reader(parts, names).readings([text])[0].parts) == 1
    assert len(_reader(parts, {"pellosis": ["pellosis"]}).readings([text])[0].parts) == 2
    text = "infection, pellosis"
    parts = {"pellosis": "pellosis", "infection": "infection", text: "marsh fever"}
    assert len(_reader(parts).readings([text])[0].parts) == 1


def test_a_line_of_which_the_name_of_the_whole_has_no_word_is_left_out() -> None:
    [read] = _reader({"vell rash marsh fever": "marsh fever disease"}).readings(["vell rash\nmarsh fever"])
    assert (read.parts[0].text, read.left_out) == ("vell rash marsh fever", ("vell rash",))


def test_a_line_that_names_nothing_alone_but_is_a_word_of_the_name_of_the_whole_is_left_out(
    compile_terminology: Callable[[Sequence[Concept]], Terminology],
) -> None:
    concepts = [Concept("T:1", "Arvosis"), Concept("T:2", "Mosaic Arvosis 15")]
    linker = Linker.open([compile_terminology(concepts)], pipeline=Pipeline(reranker=None))
    [told, other] = linker.link(["Arvosis\n15", "Arvosis\n16"])
    assert (told.concepts, [part.mention.text for part in told.parts]) == (("T:1",), ["Arvosis", "15"])
    assert (other.concepts, other.parts) == (("T:1",), ())
