"""The token ids that a cross-encoder reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.rerank.cross_inputs import (
    CANDIDATE,
    MENTION,
    DescribedCandidate,
    PairTokens,
    describe_candidates,
)
from linnet.rerank.dual_inputs import MentionInContext
from linnet.retrieve.hits import Hits
from linnet.terminology import write_terminology
from linnet.types import Concept

WORDS = ["[UNK]", "[CLS]", "[SEP]", "[START]", "[END]", ";", *"abcdefghijklmnopqrstuvwxyz"]


@pytest.fixture
def tokens() -> PairTokens:
    """A word per letter."""
    made: Any = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return PairTokens(made)


def written(ids: list[int]) -> str:
    return " ".join(WORDS[i] for i in ids)


def test_a_mention_stands_between_markers_in_its_sentence(tokens: PairTokens) -> None:
    [ids] = tokens.mentions([MentionInContext("a b", "c d", "e")])
    assert written(ids) == "[CLS] a b [START] c d [END] e [SEP]"
    long = MentionInContext("a " * 99, "x y", "b " * 99)
    [ids] = tokens.mentions([long])
    assert len(ids) == MENTION
    assert written(ids) == f"[CLS] {'a ' * 17}[START] x y [END] {'b ' * 17}[SEP]"
    [ids] = tokens.mentions([MentionInContext("a", "x " * 99, "b")])
    assert written(ids) == f"[CLS] [START] {'x ' * (MENTION - 4)}[END] [SEP]"


def test_a_candidate_is_its_names_and_as_much_of_its_definition_as_fits(tokens: PairTokens) -> None:
    plain, bare, long = tokens.candidates(
        [
            DescribedCandidate("a ; b", "c d"),
            DescribedCandidate("a", ""),
            DescribedCandidate("a " * 99, "c " * 99),
        ]
    )
    assert written(plain) == "a ; b [SEP] c d [SEP]"
    assert written(bare) == "a [SEP]"
    assert len(long) == CANDIDATE
    assert written(long).endswith("c [SEP]")


def test_a_marker_in_a_text_is_text(tokens: PairTokens) -> None:
    [ids] = tokens.mentions([MentionInContext("", "a [END] b", "")])
    assert written(ids).count("[END]") == 1


def test_a_tokenizer_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lacks \[SEP\], \[START\], \[END\]"):
        PairTokens(Tokenizer(models.WordLevel({"[UNK]": 0, "[CLS]": 1}, unk_token="[UNK]")))


def test_names_begin_with_the_preferred_and_the_found_one(tmp_path: Path) -> None:
    concepts = [
        Concept(
            "T:0",
            "Gout",
            ("podagra", "Gouty disease", "GOUT", "uric disease", "crystals"),
            definition="Pain.",
        ),
        Concept("T:1", "Tophus", ("tophi",), parents=("T:0",)),
    ]
    terminology = write_terminology(concepts, tmp_path / "t", sources=[])
    build_indexes(terminology, ("exact",))
    pipeline = Pipeline(retrievers=("exact",), reranker=None)
    group = Linker.open([terminology], pipeline=pipeline).group
    gout, tophus = terminology.row("T:0"), terminology.row("T:1")
    last = terminology.name_rows(gout)[-1]
    found = terminology.names[last]
    hits = Hits(
        np.array([[gout, tophus], [tophus, -1]], np.int32),
        np.array(
            [[last, terminology.name_rows(tophus)[0]], [terminology.name_rows(tophus)[1], -1]], np.int32
        ),
        np.zeros((2, 2), np.float32),
        np.zeros((2, 2), np.uint16),
    )
    first, second = describe_candidates(hits, group)
    names = first[0].names.split(" ; ")
    assert names[:2] == ["gout", found.lower()]
    assert len(names) == 4 == len(set(names))
    assert first[0].definition == "pain."
    assert first[1] == DescribedCandidate("tophus ; tophi", "gout")  # described by its parent
    assert second == [first[1]]
