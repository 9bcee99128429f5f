"""From a linker and documents to a report that is written and readable."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DataError, RequestError
from linnet.evaluate import System, ask, evaluate, evaluate_system, write_report
from linnet.evaluate.gold import Predicted
from linnet.evaluate.html import render_html
from linnet.evaluate.markdown import render_markdown
from linnet.evaluate.report import Report, as_json
from linnet.terminology import Terminology, write_terminology
from linnet.types import Candidate, Concept, Document, Link, Mention

NAMES = {"flu": "X:1", "grippe": "X:1", "pox": "X:2", "<fog> & mist": "X:3"}


class Lookup:
    """Links by exact name, and records what it was shown."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.shown: list[Mention] = []

    def link(self, mentions: Sequence[Mention], *, k: int) -> list[Link]:
        self.shown += mentions
        return [self._one(mention) for mention in mentions]

    def annotate(self, text: Document) -> Document:
        found = [
            Mention(text, m.start(), m.end(), m.group(), "Disease", (id,))
            for name, id in self.names.items()
            for m in re.finditer(re.escape(name), text.text)
        ]
        return text.with_mentions(found)

    def _one(self, mention: Mention) -> Link:
        id = self.names.get(mention.text.lower())
        if id is None:
            return Link(mention, probability=0.4)
        return Link(
            mention,
            (id,),
            id,
            0.9,
            (Candidate(id, mention.text, 1.0, "exact"), Candidate("X:4", "pest", 0.5, "char")),
        )


def document(id: str, *marked: tuple[str, str, str]) -> Document:
    text = ", ".join(name for name, _, _ in marked)
    home, at = Document(id, text, extra={"note": "secret"}), 0
    mentions = []
    for name, type, concept in marked:
        mentions.append(
            Mention(
                home, at, at + len(name), name, type, (concept,) if concept else (), extra={"parts": ("x",)}
            )
        )
        at += len(name) + 2
    return home.with_mentions(mentions)


CORPUS = [
    document("d1", ("flu", "Disease", "X:1"), ("pox", "Disease", "X:2"), ("aspirin", "Drug", "Y:1")),
    document(
        "d2", ("grippe", "Disease", "X:0"), ("plague", "Disease", "X:4"), ("<fog> & mist", "Symptom", "")
    ),
]
TRAIN = [document("t1", ("flu", "Disease", "X:1"))]


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    concepts = [
        Concept("X:1", "flu", parents=("X:5",)),
        Concept("X:2", "pox", parents=("X:5",)),
        Concept("X:3", "fog"),
        Concept("X:4", "pest", parents=("X:5",)),
        Concept("X:5", "infection"),
        Concept("X:0", "", replaced_by=("X:1",)),
    ]
    return write_terminology(concepts, tmp_path / "terms")


def full(terminology: Terminology) -> Report:
    weaker = ask(
        Lookup({"flu": "X:2", "pox": "X:2"}), CORPUS, name="weak <b>", types=["Disease"], augmented=Lookup({})
    )
    return evaluate(
        Lookup(NAMES),
        CORPUS,
        protocols=["strict", "lenient", "lenient+augmented", "unseen-surface", "nil", "document"],
        train=TRAIN,
        terminologies=[terminology],
        types=["Disease"],
        augmented=Lookup({**NAMES, "plague": "X:4"}),
        against=weaker,
        corpus="tiny",
        provenance={"command": "linnet evaluate tiny.txt"},
    )


def test_ids_are_resolved_and_every_protocol_is_reported(terminology: Terminology) -> None:
    report = full(terminology)
    values = {r.protocol: (r.scores[0].numerator, r.scores[0].denominator) for r in report.results}
    assert values["strict"] == (3, 4)
    assert values["lenient+augmented"] == (4, 4)
    assert values["strict+unseen-surface"] == (2, 3)
    assert report.corpus["types"] == ["Disease"]
    assert report.leaks.seen_surface_mentions == 1
    assert report.provenance["terminologies"][0]["digest"] == terminology.digest
    assert [k.name for k in report.mistakes.kinds] == ["nothing emitted"]
    assert report.calibration is not None
    assert report.comparison is not None
    assert {w.text for w in report.comparison.wins} == {"flu", "grippe"}


def test_a_linker_never_sees_the_gold() -> None:
    linker = Lookup(NAMES)
    ask(linker, CORPUS)
    assert linker.shown
    for mention in linker.shown:
        assert mention.concepts == ()
        assert not mention.extra
        assert not mention.document.extra
        assert all(not other.concepts and not other.extra for other in mention.document.mentions)


def test_end_to_end_asks_for_annotations_and_ignores_types_that_are_not_scored(
    terminology: Terminology,
) -> None:
    report = evaluate(
        Lookup({**NAMES, "aspirin": "X:3"}),
        CORPUS,
        protocols=["end-to-end"],
        types=["disease"],
        terminologies=[terminology],
    )
    shown = {s.name: (s.numerator, s.denominator) for s in report.results[0].scores}
    assert shown["weak recall"] == (3, 4)
    assert shown["weak precision"] == (3, 5)


def test_augmented_without_a_second_run_is_refused() -> None:
    with pytest.raises(RequestError, check=advises(Step.GIVE_TRAINING_DATA)):
        evaluate(Lookup(NAMES), CORPUS, protocols=["augmented"])
    with pytest.raises(RequestError, match="second run"):
        evaluate_system(System("other", [Predicted()] * 6), CORPUS, protocols=["augmented"])


def test_answers_to_other_mentions_are_refused() -> None:
    with pytest.raises(RequestError, match=r"answers 1 mentions; the corpus has 6"):
        evaluate_system(System("other", [Predicted()]), CORPUS)


def test_a_corpus_without_mentions_is_refused_and_types_are_listed() -> None:
    with pytest.raises(RequestError, match="nothing to score"):
        evaluate(Lookup(NAMES), [Document("d", "text")])
    with pytest.raises(
        RequestError, match=r"No gold mention has type Gene\. The corpus has: Disease, Drug, Symptom"
    ):
        evaluate(Lookup(NAMES), CORPUS, types=["Gene"])


def test_a_report_without_terminology_train_or_probabilities_says_what_it_lacks() -> None:
    report = evaluate_system(
        System("bare", [Predicted()] * 6, notes=("6 mentions have no prediction.",)), CORPUS
    )
    text = render_markdown(report)
    assert "no terminology given" in text
    assert "no training corpus given" in text
    assert "gives no probabilities" in text
    assert "6 mentions have no prediction." in text
    assert "no terminology given" in render_html(report)


def test_the_files_are_written_and_the_json_is_plain(terminology: Terminology, tmp_path: Path) -> None:
    report = full(terminology)
    paths = write_report(report, tmp_path / "new" / "report")
    assert [path.name for path in paths] == ["report.md", "report.json", "report.html"]
    record = json.loads(paths[1].read_text(encoding="utf-8"))
    assert record == as_json(report)
    assert record["results"][0]["scores"][0]["denominator"] == 4
    assert paths[0].read_text(encoding="utf-8").startswith("# linnet on tiny\n")


def test_a_report_says_what_a_protocol_does_not_count(terminology: Terminology) -> None:
    report = full(terminology)
    result = replace(report.results[0], dropped={"mentions without a concept": 1_234})
    shown = replace(report, results=(result, *report.results[1:]))
    assert "Not counted: 1,234 mentions without a concept." in render_markdown(shown)
    assert "Not counted: 1,234 mentions without a concept." in render_html(shown)


def test_a_place_that_cannot_be_a_folder_is_refused(terminology: Terminology, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match="cannot create this folder"):
        write_report(full(terminology), tmp_path / "file" / "report")


def test_the_leak_audit_stands_before_the_scores(terminology: Terminology) -> None:
    for text in (render_markdown(full(terminology)), render_html(full(terminology)).partition("<main>")[2]):
        assert text.index("Data and leaks") < text.index("Scores") < text.index("Mistakes")


class _Balance(HTMLParser):
    """Fails on a tag that is closed out of order, or asks for anything outside the file."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {"src", "xlink:href"} & {name for name, _ in attrs}
        assert all(value and value.startswith("#") for name, value in attrs if name == "href")
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass


def test_the_page_is_well_formed_self_contained_and_escaped(terminology: Terminology) -> None:
    page = render_html(full(terminology))
    balance = _Balance()
    balance.feed(page)
    assert balance.open == []
    assert "<script" not in page
    assert "url(" not in page
    assert "@import" not in page
    assert "weak &lt;b&gt;" in page
    assert "weak <b>" not in page


def test_every_plot_is_valid_xml_and_described_in_words(terminology: Terminology) -> None:
    plots = re.findall(r"<svg.*?</svg>", render_html(full(terminology)), flags=re.DOTALL)
    assert len(plots) >= 4
    for plot in plots:
        root = ElementTree.fromstring(plot)
        if root.get("aria-hidden") != "true":
            assert root.get("aria-label")
            assert root.findtext("desc")


def test_markdown_tables_have_equal_rows(terminology: Terminology) -> None:
    columns = None
    for line in render_markdown(full(terminology)).splitlines():
        if not line.startswith("|"):
            columns = None
            continue
        found = len(re.findall(r"(?<!\\)\|", line))
        assert columns in (None, found)
        columns = found


def test_documents_that_occur_again_are_noted() -> None:
    flu, pox = document("1", ("flu", "Disease", "X:1")), document("2", ("pox", "Disease", "X:2"))
    once = evaluate(Lookup(NAMES), [flu, pox], protocols=["strict"])
    assert not [note for note in once.notes if "occurred before" in note]
    twice = evaluate(Lookup(NAMES), [flu, pox, flu, flu], protocols=["strict"])
    (note,) = [note for note in twice.notes if "occurred before" in note]
    assert note.startswith("2 documents occurred before")
    assert "'1'" in note
    other = evaluate(Lookup(NAMES), [flu, document("1", ("pox", "Disease", "X:2"))], protocols=["strict"])
    assert not [note for note in other.notes if "occurred before" in note]
