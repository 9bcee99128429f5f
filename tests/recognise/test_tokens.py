"""Texts as tokens, and what is seen of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linnet.recognise.gazetteer import Gazetteer
from linnet.recognise.token_features import SHAPES, TokenFeatures
from linnet.recognise.tokens import tokens_of

TEXT = "Ataxia telangiectasia (AT) is rare. AT is not MPTP-induced.\n\nAt 5%, COX2 was seen."


@given(st.text(max_size=200))
def test_tokens_hold_every_character_but_spaces_once(text: str) -> None:
    tokens = tokens_of(text)
    for start, end, written in zip(tokens.starts, tokens.ends, tokens.texts, strict=True):
        assert text[start:end] == written != ""
    covered = "".join(tokens.texts)
    assert covered == "".join(character for character in text if not character.isspace()) or any(
        character.isspace() for character in covered
    )
    assert (tokens.starts[1:] >= tokens.ends[:-1]).all()
    assert tokens.sentences[-1] == len(tokens)
    assert list(tokens.sentences) == sorted(set(tokens.sentences)) or len(tokens) == 0
    TokenFeatures().of(text)


def test_hyphens_and_brackets_are_tokens() -> None:
    assert tokens_of(TEXT).texts[:12] == (
        "Ataxia", "telangiectasia", "(", "AT", ")", "is", "rare", ".", "AT", "is", "not", "MPTP",
    )  # fmt: skip


def test_sentences_begin_where_the_text_says_and_long_ones_are_cut() -> None:
    tokens = tokens_of(TEXT)
    assert [tokens.texts[place] for place in tokens.sentences[:-1]] == ["Ataxia", "AT", "At"]
    assert tokens_of("a " * 450).sentences == (0, 200, 400, 450)
    assert tokens_of(" \n").sentences == (0,)


def test_a_stretch_of_text_is_the_tokens_it_touches() -> None:
    tokens = tokens_of("acute renal failure")
    assert tokens.within(0, 5) == (0, 1)
    assert tokens.within(6, 19) == (1, 3)
    assert tokens.within(8, 9) == (1, 2)
    assert tokens.within(5, 6) == (1, 1)


def signals(text: str, gazetteer: Gazetteer) -> dict[str, list[str]]:
    """Token → the names of its signals besides its shape."""
    features = TokenFeatures((gazetteer,))
    names = [*SHAPES, "short form", "long form", "first", "inside", "last", "only", "short for a name"]
    seen = features.of(text)
    assert seen.signals.shape == (len(seen.tokens), features.size) == (len(seen.tokens), len(names))
    return {
        token: [names[i] for i in np.flatnonzero(row) if i >= len(SHAPES)]
        for token, row in zip(seen.tokens.texts, seen.signals, strict=True)
    }


def test_names_and_abbreviations_are_seen() -> None:
    seen = signals(TEXT, Gazetteer.of(["Ataxia Telangiectasia", "MPTP"]))
    assert seen["Ataxia"] == ["long form", "first"]
    assert seen["telangiectasia"] == ["long form", "last"]
    assert seen["AT"] == ["short form", "short for a name"]
    assert seen["MPTP"] == ["only"]
    assert seen["At"] == seen["rare"] == []


def test_a_short_form_shares_a_group_with_the_head_of_its_long_form() -> None:
    seen = TokenFeatures().of(TEXT)
    texts = np.array(seen.tokens.texts)
    of_at = seen.group[texts == "AT"]
    assert len(set(of_at.tolist())) == 1
    assert seen.group[texts == "At"][0] != of_at[0]
    members = [texts[token] for token, group in seen.members if group == of_at[0]]
    assert members == ["telangiectasia", "AT", "AT"]
    assert len(seen.members) == len(texts) + 1


def test_shapes_tell_words_from_codes() -> None:
    seen = TokenFeatures().of("aspirin Aspirin DNA mRNA 12 COX2 p53 ( µ")
    shapes = [SHAPES[row.argmax()] for row in seen.signals]
    assert shapes[:8] == ["lower", "capital", "acronym", "mixed", "number", "code", "other code", "("]
