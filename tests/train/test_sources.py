"""Training data of a reranker: corpora, and names held out of a terminology."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet import corpora
from linnet.errors import DataError
from linnet.evaluate.gold import gold_mentions
from linnet.terminology import Terminology, write_terminology
from linnet.train.held_out_names import words_of
from linnet.train.sources import Source, SourceSettings
from linnet.types import Concept, Document, Mention

CONCEPTS = [
    Concept("X:1", "Dorn fever", ("Marsh illness",), ("Disease",)),
    Concept("X:2", "Vell rash", ("Red spots",), ("Disease",)),
    Concept("X:3", "Pellin", ("Acetylpell",), ("Drug",)),
    Concept("X:4", "Only name", (), ("Disease",)),
]


@pytest.fixture
def terminology(tmp_path: Path) -> Path:
    write_terminology(CONCEPTS, tmp_path / "t", sources=[])
    return tmp_path / "t"


def test_names_are_asked_that_the_written_terminology_no_longer_has(
    terminology: Path, tmp_path: Path
) -> None:
    source = Source.read(
        SourceSettings(terminology=terminology, names=9, absent=1), tmp_path / "folds", seed=0
    )
    asked = list(gold_mentions(source.documents))
    assert {mention.text for mention in asked} == {"Marsh illness", "Red spots", "Acetylpell"}
    nil = [mention for mention in asked if not mention.concepts]
    assert len(nil) == 1
    kept = source.terminology.names.array.to_pylist()
    assert not {mention.text for mention in asked} & set(kept)
    assert len(source.terminology) == len(CONCEPTS) - 1
    for mention in asked:
        assert all(source.terminology.resolve(id) == (id,) for id in mention.concepts)
    assert not source.remembered
    assert len(Terminology.open(terminology)) == len(CONCEPTS)
    # What the run file names is known by its own digest, not by that of what is left of it.
    assert source.data[str(terminology)] == Terminology.open(terminology).digest
    assert source.data[f"{terminology}, names held out"] == source.terminology.digest


def test_only_concepts_of_given_types_are_asked_for_and_a_draw_repeats(
    terminology: Path, tmp_path: Path
) -> None:
    settings = SourceSettings(terminology=terminology, names=1, concepts=("Drug",))
    first, second = (Source.read(settings, tmp_path / "folds", seed=3) for _ in range(2))
    assert [mention.text for mention in gold_mentions(first.documents)] == ["Acetylpell"]
    assert first.documents == second.documents
    assert len(list((tmp_path / "folds").iterdir())) == 1


def test_a_terminology_without_synonyms_is_refused(tmp_path: Path) -> None:
    write_terminology(CONCEPTS[3:], tmp_path / "bare", sources=[])
    with pytest.raises(DataError, match="no concept has a synonym"):
        Source.read(SourceSettings(terminology=tmp_path / "bare", names=5), tmp_path, seed=0)


def test_a_corpus_says_whether_it_is_remembered(terminology: Path, tmp_path: Path) -> None:
    text = "He has Dorn fever."
    mention = Mention(Document("", text), 7, 17, "Dorn fever", "Disease", ("X:1",))
    corpora.write([Document("1", text, (mention,))], tmp_path / "c.jsonl", format="jsonl")
    for remembered in (True, False):
        settings = SourceSettings(
            corpora=(tmp_path / "c.jsonl",), terminology=terminology, remembered=remembered
        )
        source = Source.read(settings, tmp_path, seed=0)
        assert source.remembered is remembered
        assert set(source.data) == {str(tmp_path / "c.jsonl"), str(terminology)}


def test_every_file_of_a_folder_is_known(terminology: Path, tmp_path: Path) -> None:
    mention = Mention(Document("", "Dorn fever"), 0, 10, "Dorn fever", "Disease", ("X:1",))
    (tmp_path / "brat").mkdir()
    corpora.write([Document("1", "Dorn fever", (mention,))], tmp_path / "brat", format="brat")
    settings = SourceSettings(corpora=(tmp_path / "brat",), terminology=terminology)
    before = Source.read(settings, tmp_path, seed=0).data
    assert {Path(name).suffix for name in before} == {"", ".txt", ".ann"}
    text = next((tmp_path / "brat").glob("*.ann"))
    text.write_text(text.read_text() + "#1\tAnnotatorNotes T1\tSeen again.\n")
    assert Source.read(settings, tmp_path, seed=0).data != before


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "neither 'corpora' nor 'names'"),
        ({"corpora": (Path("c"),), "names": 3}, "both 'corpora' and 'names'"),
        ({"names": 3, "absent": 4}, "at most 'names', 3"),
        ({"names": -1}, "'names' is -1"),
    ],
)
def test_a_source_that_makes_no_sense_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SourceSettings(terminology=Path("t"), **given)  # type: ignore[arg-type]


def test_some_names_are_asked_with_the_types_of_their_concepts(tmp_path: Path) -> None:
    concepts = [
        Concept(f"X:{n}", f"Fever {n}", (f"Illness {n}",), ("Disease" if n % 2 else "Chemical",))
        for n in range(200)
    ]
    write_terminology(concepts, tmp_path / "t", sources=[])
    source = Source.read(
        SourceSettings(terminology=tmp_path / "t", names=200, absent=40), tmp_path / "folds", seed=0
    )
    asked = list(gold_mentions(source.documents))
    typed = [mention for mention in asked if mention.type]
    assert 70 < len(typed) < 130
    assert any(not mention.concepts for mention in typed)
    known = [mention for mention in typed if mention.concepts]
    wrong = sum(mention.type not in source.terminology[mention.concepts[0]].types for mention in known)
    assert 0 < wrong < len(known) / 5


def test_further_names_are_asked_in_other_words(terminology: Path, tmp_path: Path) -> None:
    plain, more = (
        Source.read(
            SourceSettings(terminology=terminology, names=3, paraphrased=n), tmp_path / "folds", seed=0
        )
        for n in (0, 8)
    )
    assert more.documents[: len(plain.documents)] == plain.documents
    added = [mention for d in more.documents[len(plain.documents) :] for mention in d.mentions]
    assert 4 <= len(added) <= 8
    assert more.terminology.digest == plain.terminology.digest
    names = {name for concept in CONCEPTS for name in concept.all_names}
    assert not {mention.text for mention in added} & names
    # of names held out and of names that stay
    held_out = {mention.text for d in plain.documents for mention in d.mentions}
    words = {word for name in held_out for word in words_of(name)}
    assert {bool(words & set(words_of(mention.text))) for mention in added} == {False, True}
    assert all(more.terminology.resolve(id) == (id,) for mention in added for id in mention.concepts)


def test_corpora_are_not_paraphrased(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'paraphrased'"):
        SourceSettings(terminology=tmp_path, corpora=(tmp_path,), paraphrased=3)
