"""Corpus mentions as dictionary names."""

from __future__ import annotations

from linnet.evaluate.augmentation import augmentation_pairs
from linnet.types import Document, Mention

HOME = Document("d", "AT; AT; breast and ovarian cancer; odd pair; fog; aspirin")
MENTIONS = [
    Mention(HOME, 0, 2, "AT", "Disease", ("X:1",)),
    Mention(HOME, 4, 6, "AT", "Disease", ("X:1",)),
    Mention(
        HOME,
        8,
        33,
        "breast and ovarian cancer",
        "Disease",
        ("X:2", "X:3"),
        extra={"parts": ("breast cancer", "ovarian  cancer")},
    ),
    Mention(HOME, 35, 43, "odd pair", "Disease", ("X:2", "X:3"), extra={"combined": True}),
    Mention(HOME, 45, 48, "fog", "Disease"),
    Mention(HOME, 50, 57, "aspirin", "Chemical", ("X:4",)),
]
CORPUS = [HOME.with_mentions(MENTIONS)]


def test_each_surface_and_part_names_its_concept_once() -> None:
    assert augmentation_pairs(CORPUS) == [
        ("AT", "X:1"),
        ("breast cancer", "X:2"),
        ("ovarian cancer", "X:3"),
        ("aspirin", "X:4"),
    ]


def test_expanded_abbreviations_are_names_beside_the_surface() -> None:
    pairs = augmentation_pairs(
        CORPUS, types=["disease"], expand=lambda m: {"AT": "ataxia"}.get(m.text, m.text)
    )
    assert pairs[:2] == [("AT", "X:1"), ("ataxia", "X:1")]
    assert len(pairs) == 4


def test_a_composite_without_texts_for_its_parts_gives_nothing() -> None:
    bare = HOME.with_mentions([Mention(HOME, 8, 33, "breast and ovarian cancer", "Disease", ("X:2", "X:3"))])
    assert augmentation_pairs([bare]) == []
