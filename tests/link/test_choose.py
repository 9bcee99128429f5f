"""What strings are read as with the shipped weights, how sure that is, and that a batch is asked for at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice, product
from typing import Any

import pytest

from linnet.link import Linker, Pipeline
from linnet.link.choose import confidence
from linnet.link.lookup import Best
from linnet.link.readings import Reading, Thing
from linnet.rerank.calibrator import Calibrator, Curve
from linnet.retrieve.hits import Origin
from linnet.terminology import Terminology
from linnet.types import Concept, Document, Link, Mention

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
    Concept("T:19", "Noninsulin-Dependent Diabetes Mellitus", ("non insulin dependent diabetes mellitus",)),
    Concept("T:20", "Zarnitis B"),
    Concept("T:21", "Zarnitis C"),
    Concept("T:22", "Sialic Acid Storage Disease", ("SD",)),
    Concept("T:23", "Sexual Dysfunctions, Physiological", ("sexual dysfunction of men",)),
    Concept("T:24", "Von Hippel-Lindau Syndrome", ("VHL",)),
)


@pytest.fixture(scope="module")
def terminology(compile_terminology: Callable[[Sequence[Concept]], Terminology]) -> Terminology:
    return compile_terminology(CONCEPTS)


@pytest.fixture(scope="module")
def linker(terminology: Terminology, tmp_path_factory: pytest.TempPathFactory) -> Linker:
    """A match is as probable as its score."""
    place = tmp_path_factory.mktemp("calibrator")
    Calibrator({"retrieved": Curve((0.0, 1.0), (0.0, 1.0))}).save(place / "calibrator.json")
    return Linker.open([terminology], pipeline=Pipeline(reranker=None, calibrator=str(place)))


ANSWERS: list[tuple[str, tuple[str, ...]]] = [
    # a form of one thing
    ("HTN", ("T:1",)),
    ("hipertensión arterial", ("T:1",)),
    ("Diabetes Mellitus, Type 2", ("T:2",)),
    ("severe acute myeloid leukaemia", ("T:8",)),
    ("severe asthma, stable", ("T:7",)),
    ("h/o asthma [J45.9]", ("T:7",)),
    ("asthma, letter typed", ("T:7",)),
    ("head and neck cancer", ("T:6",)),
    ("cancer of head and neck", ("T:6",)),
    ("brest cancer", ("T:4",)),
    ("breast cancer, HER2 negative", ("T:4",)),
    # a far commoner short form comes before a synonym written the same
    ("PE", ("T:12",)),
    # names that look like placeholders or denials
    ("Unknown", ("T:16",)),
    ("thumb absent", ("T:17",)),
    ("non insulin dependent diabetes", ("T:19",)),
    # several things
    ("zarnitis B or C", ("T:20", "T:21")),
    ("Zarnitis B/C", ("T:20", "T:21")),
    ("HTN; T2DM; asthma", ("T:1", "T:2", "T:7")),
    ("1. HTN\n2. T2DM\n3. asthma\n4. breast cancer\n5. ovarian cancer", ("T:1", "T:2", "T:7", "T:4", "T:5")),
    ("breast and ovarian cancer", ("T:4", "T:5")),
    ("breast & ovarian cancer", ("T:4", "T:5")),
    ("breast & ovarian ca", ("T:4", "T:5")),
    ("type 1 and 2 diabetes", ("T:3", "T:2")),
    ("asthma with hypertension", ("T:7", "T:1")),
    ("asthma w/ HTN s/p PE 03/2019", ("T:7", "T:1", "T:12")),
    ("amoxicillin/clavulanate 500 mg/125 mg", ("T:10", "T:11")),
    ("type 2 diabetes/asthma", ("T:2", "T:7")),
    ("asthma &#44; HTN", ("T:7", "T:1")),
    ("<p>asthma</p><p>breast cancer</p>", ("T:7", "T:4")),
    ("asthma\tHTN", ("T:7", "T:1")),
    # signs that it is there
    *((text, ("T:1",)) for text in ("HTN+", "HTN ++", "HTN (+)")),
    # one thing, and what says nothing
    ("asthma; see notes", ("T:7",)),
    ("asthma - resolved", ("T:7",)),
    ("asthma, no chest pain", ("T:7",)),
    ("asthma; HTN: no", ("T:7",)),
    ("HTN, asthma excluded", ("T:1",)),
    # nothing
    *((text, ()) for text in ("n/a", "see notes", "Arm B", "Control group", "-", "12/03/2019", "John Smith", "&nbsp;")),
    *((text, ()) for text in ("no asthma", "asthma: no", "asthma absent", "HTN (denied)", "breast cancer ruled out")),
    *((text, ()) for text in ("asthma (-)", "HTN-", "HTN neg")),
    *((text, ()) for text in ("neither asthma nor HTN", "no asthma or HTN", "negative for asthma and HTN", "denies asthma or chest pain")),
    *((text, ()) for text in ("non-asthma", "anti-asthma", "pseudoasthma", "asthma-like symptoms")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "concepts"), ANSWERS)
def test_what_a_string_names(linker: Linker, text: str, concepts: tuple[str, ...]) -> None:
    [link] = linker.link([text])
    assert link.concepts == concepts
    assert (link.probability is None) == (not concepts)
    assert bool(link.name) == bool(concepts)


@pytest.mark.parametrize(
    ("text", "short", "concept"),
    [
        ("Patients with a sexual dysfunction (SD) were seen.", "SD", "T:23"),
        ("Patients with SD were seen.", "SD", "T:22"),
        ("In von Hippel-Lindau (VHL) families.", "VHL", "T:24"),
    ],
)
def test_what_the_document_defines_comes_before_a_short_name(
    linker: Linker, text: str, short: str, concept: str
) -> None:
    start = text.index(short)
    [link] = linker.link([Mention(Document("d", text), start, start + len(short), short)])
    assert link.concepts == (concept,)


@pytest.mark.parametrize(
    ("text", "origin"),
    [("hipertensión arterial", "synonym"), ("HTN", "abbreviation"), ("brest cancer", "spelling")],
)
def test_candidates_say_how_their_text_was_made(linker: Linker, text: str, origin: str) -> None:
    made = ("synonym", "abbreviation", "spelling")
    [link] = linker.link([text])
    assert [each for each in made if each in link.candidates[0].origin] == [origin]


def test_without_the_glossary_no_short_form_is_written_out(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None, glossary=False))
    assert linker.link(["PE"])[0].concepts == ("T:15",)


def test_an_ambiguous_short_form_is_less_probable(linker: Linker) -> None:
    ambiguous, sure = linker.link(["CP", "HTN"])
    assert ambiguous.concepts == ("T:13",)
    assert ambiguous.probability is not None
    assert sure.probability is not None
    assert ambiguous.probability < 0.9 < sure.probability


def test_parts_are_told_and_composites_can_be_left_whole(linker: Linker, terminology: Terminology) -> None:
    [link] = linker.link(["asthma; hypertension"])
    assert [part.concepts for part in link.parts] == [("T:7",), ("T:1",)]
    whole = Linker.open([terminology], pipeline=Pipeline(reranker=None, composites=False))
    assert not whole.link(["asthma; hypertension"])[0].parts


def test_a_list_of_any_length_is_answered(linker: Linker) -> None:
    names = [concept.name for concept in CONCEPTS if "," not in concept.name][:15]
    few, many = linker.link(["; ".join(names), "; ".join(names * 20)])
    assert len(few.concepts) >= len(names) - 1  # "Unknown" says nothing in a list
    assert many.mention.text


def test_a_reading_is_as_sure_as_all_that_name_the_same_concepts() -> None:
    def reading(score: float, *concepts: int) -> Reading:
        best = [Best(1.0, concept, "", True, True, 0) for concept in concepts]
        return Reading(tuple(Thing(str(each.concept), Origin(0), each) for each in best), {}, score)

    first = reading(2.0, 1, 2)
    assert confidence([first]) == 1
    assert confidence([first, reading(2.0, 2, 1)]) == 1
    assert confidence([first, reading(2.0, 3), reading(2.0)]) == pytest.approx(1 / 3)
    assert confidence([first, reading(-1000.0)]) == pytest.approx(1)


# ── a batch is a batch ───────────────────────────────────────────────────────────────────────────────────

COUNT = 200
SYLLABLES = ("bor", "dal", "mek", "nuv", "pil", "rath", "sog", "tiv")
NAMES = [f"{''.join(parts)}osis" for parts in product(SYLLABLES, repeat=3)][:256]
KINDS: dict[str, Callable[[int], str]] = {
    "literal": lambda n: NAMES[n],
    "near": lambda n: f"{NAMES[n]} of the kidney",
    "qualified": lambda n: f"severe L {NAMES[n]}, stage 3 (2019)",
    "misspelt": lambda n: NAMES[n].replace("osis", "oosis"),
    "list": lambda n: f"{NAMES[n]}; severe {NAMES[n + 1]}, {NAMES[n + 2]} and {NAMES[n + 3]}",
    "shared words": lambda n: f"acute {NAMES[n]} and {NAMES[n + 1]} of the kidney",
    "short form": lambda n: f"HTN with {NAMES[n]}",
    "denied": lambda n: f"{NAMES[n]}: no",
    "negated": lambda n: f"no {NAMES[n]}",
    "nothing": lambda n: f"arm {n % 9 + 1}",
    "quoted": lambda n: f'"{NAMES[n]}"',
    "joined": lambda n: f"{NAMES[n]} due to {NAMES[n + 1]} on {NAMES[n + 2]}",
    "unknown": lambda n: f"qwx{n} zzyq",
}
UNLIKE = {"list", "shared words"}  # a further search finds candidates for the parts of some
LOOK_UPS, SEARCHES = 4, 2


@pytest.fixture(scope="module")
def many_names(compile_terminology: Callable[[Sequence[Concept]], Terminology]) -> Terminology:
    """256 invented diseases."""
    return compile_terminology([Concept(f"T:{n}", name) for n, name in enumerate(NAMES)])


def counted(
    terminology: Terminology, mentions: Sequence[str | Mention], monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[str, int], list[Link]]:
    """How often a linker that knows nothing yet looks up and searches, and the links."""
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None), threads=1)
    counts = {"exact": 0, "search": 0}

    def spy(name: str) -> Callable[..., Any]:
        call = getattr(linker.group, name)

        def counting(*arguments: Any, **options: Any) -> Any:
            counts[name] += 1
            return call(*arguments, **options)

        return counting

    for name in counts:
        monkeypatch.setattr(linker.group, name, spy(name))
    return counts, linker.link(mentions)


def in_text(texts: Sequence[str]) -> list[str | Mention]:
    return [Mention.alone(text, left="We saw", right="again.") for text in texts]


@pytest.mark.parametrize("context", [False, True], ids=["alone", "in a text"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_of_any_size_takes_the_same_calls(
    many_names: Terminology, kind: str, context: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [KINDS[kind](n) for n in range(COUNT)]
    mentions: list[str | Mention] = in_text(texts) if context else [*texts]
    counts = [counted(many_names, some, monkeypatch)[0] for some in (mentions, mentions[:1])]
    assert max(each["exact"] for each in counts) <= LOOK_UPS
    assert max(each["search"] for each in counts) <= SEARCHES
    if kind not in UNLIKE:
        assert counts[0] == counts[1]


def mixed(count: int) -> Iterator[str]:
    """Texts of all kinds in turn."""
    return (KINDS[kind](n) for n, kind in enumerate(islice(cycle(KINDS), count)))


def test_a_batch_of_all_kinds_takes_no_more_calls_than_one_of_a_kind(
    many_names: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [*mixed(COUNT)]
    counts, _ = counted(many_names, [*texts, *in_text(texts)], monkeypatch)
    assert counts["exact"] <= LOOK_UPS
    assert counts["search"] <= SEARCHES


def test_order_size_and_duplicates_change_nothing(many_names: Terminology) -> None:
    texts = [*mixed(3 * len(KINDS))]
    mentions = [*texts, *in_text(texts), *texts[:5]]

    def link(some: Sequence[str | Mention]) -> list[Link]:
        return Linker.open([many_names], pipeline=Pipeline(reranker=None), threads=1).link(some)

    together = link(mentions)
    order = random.Random(0).sample(range(len(mentions)), len(mentions))
    shuffled = dict(zip(order, link([mentions[place] for place in order]), strict=True))
    alone = Linker.open([many_names], pipeline=Pipeline(reranker=None), threads=1)
    for place, expected in enumerate(together):
        assert shuffled[place] == expected
        assert alone.link([mentions[place]]) == [expected]


THINGS = (
    "asthma",
    "HTN",
    "no chest pain",
    "blorp",
    "n/a",
    "severe breast cancer",
    "amoxicillin 100 mg",
    "?PE",
    "zz-12",
    "zarnitis B or C",
)
JOINTS = (
    ", ",
    "; ",
    " and ",
    " or ",
    "/",
    " with ",
    " due to ",
    "\n",
    " - ",
    " on ",
    "(",
    " + ",
    " without ",
    " nor ",
)


def test_what_other_strings_of_a_batch_say_tells_nothing_about_a_string(linker: Linker) -> None:
    draw = random.Random(0)
    texts = [
        "".join(
            part for _ in range(draw.randint(2, 6)) for part in (draw.choice(THINGS), draw.choice(JOINTS))
        )
        for _ in range(120)
    ]
    together = linker.link(texts)
    assert [linker.link([text])[0] for text in texts] == together


# ── kinds of things ──────────────────────────────────────────────────────────────────────────────────────

DISEASES = (
    Concept("T:1", "Measles", (), ("Disease",)),
    Concept("T:2", "Factor VII Deficiency", (), ("Disease",)),
    Concept("T:3", "Eczema", ("eczematous dermatitis",), ("Disease",)),
    Concept("T:4", "Rabbit fever", (), ("Disease",)),
    Concept("T:5", "Stroke", (), ("Disease",)),
)


@pytest.fixture(scope="module", params=[True, False], ids=["with types", "without types"])
def probability(
    compile_terminology: Callable[[Sequence[Concept]], Terminology],
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Callable[[str], float]:
    """Links a string to diseases and says how probable that is, 0 for NIL."""
    place = tmp_path_factory.mktemp("calibrator")
    Calibrator({"retrieved": Curve((0.0, 1.0), (0.0, 1.0))}).save(place / "calibrator.json")
    concepts = DISEASES if request.param else [Concept(one.id, one.name, one.names) for one in DISEASES]
    linker = Linker.open(
        [compile_terminology(concepts)], pipeline=Pipeline(reranker=None, calibrator=str(place))
    )

    def probability(text: str) -> float:
        [link] = linker.link([text])
        return (link.probability or 0.0) if link.concepts else 0.0

    return probability


@pytest.mark.parametrize(
    ("other", "own"),
    [
        ("measles vaccine", "measles infection"),
        ("coagulation factor VII", "deficiency of factor VII"),
        ("eczema cream", "severe eczema"),
    ],
)
def test_what_names_a_thing_of_another_kind_is_less_probable(
    probability: Callable[[str], float], other: str, own: str
) -> None:
    assert probability(other) < 0.7 * probability(own)


def test_an_item_that_names_a_thing_of_another_kind_is_left_out(
    compile_terminology: Callable[[Sequence[Concept]], Terminology],
) -> None:
    linker = Linker.open([compile_terminology(DISEASES)], pipeline=Pipeline(reranker=None))
    [link] = linker.link(["stroke; measles vaccine"])
    assert link.concepts == ("T:5",)
    assert [part.mention.text for part in link.parts if not part.concepts] == ["measles vaccine"]


@pytest.mark.parametrize("text", ["Rabbit fever", "rabbit fever", "Stroke", "factor VII deficiency"])
def test_names_of_the_terminology_are_not_doubted(probability: Callable[[str], float], text: str) -> None:
    assert probability(text) > 0.9
