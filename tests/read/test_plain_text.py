"""Markup becomes the characters that it stands for; what only looks like it stays."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.read.plain_text import plain_text, recognise_shown
from linnet.types import Document, Mention


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("gout &amp; asthma", "gout & asthma"),
        ("Sj&ouml;gren&#39;s", "Sjögren's"),
        ("gout<br/>asthma", "gout\nasthma"),
        ("<li class='x'>gout</li>", "\ngout\n"),
        ("<i>E. coli</i> infection", "E. coli infection"),
        ("H<sub>2</sub>O", "H2O"),
        ("<h2>Gout</h2>asthma", "\nGout\nasthma"),
        ("<bold>breast</bold> cancer", "breast cancer"),
        ("gout<script>x = 'asthma' < 1;</script>, eczema", "gout, eczema"),
        ("<style type='a'>.gout {\n}</style>eczema<!-- asthma\n -->", "eczema"),
        ("diabetes<sup>1,2</sup> and gout<sup>a</sup>", "diabetes and gout"),
        ("gout.<sup id='x'><a href='#y'>[3–5]</a></sup> Asthma", "gout. Asthma"),
        (
            "BRAF<sup>V600E</sup>, CD4<sup>+</sup>, m<sup>2</sup>, D-Ala<sup>2</sup>",
            "BRAFV600E, CD4+, m2, D-Ala2",
        ),
    ],
)
def test_what_a_page_shows(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "p<0.05",
        "a <b and c> d",
        "K <3.2 and >2",
        "AT&T; A&B",
        "<none>",
        "a < b > c",
        "&co;",
        "<!-- gout",
        "<script>gout",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert plain_text(text) == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("new pneu-\nmonia", "new pneumonia"),
        ("PNEU- \n  MONIA", "PNEUMONIA"),
        ("non-\nsmall cell, HER-\n2, anti-\nD", "non-small cell, HER-2, anti-D"),
        ("> heart\n> failure, gout-\n> y feet", "heart\nfailure, gouty feet"),
        ("fever -\n> 38", "fever -\n> 38"),
        (">> seen\n>> gout", "seen\ngout"),
    ],
)
def test_words_broken_at_the_end_of_a_line_and_quoted_lines_are_joined(text: str, plain: str) -> None:
    assert plain_text(text) == plain


class Words:
    """Finds every word, and "breast cancer" as one."""

    types = frozenset({"Disease"})

    def __init__(self) -> None:
        self.read: list[str] = []

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        self.read += [document.text for document in documents]
        return [
            document.with_mentions(
                [
                    Mention(document, *match.span(), match.group(), "Disease")
                    for match in re.finditer(r"breast cancer|\w+", document.text)
                ]
            )
            for document in documents
        ]


@pytest.mark.parametrize(
    ("text", "read", "mentions"),
    [
        ("<p>Asthma</p>", "\nAsthma\n", ["Asthma"]),
        ("<li>Gout</li><li class='x'>Asthma</li>", "\nGout\n\nAsthma\n", ["Gout", "Asthma"]),
        ("of <b>gout</b>.", "of gout.", ["of", "gout"]),
        ("breast <b>cancer</b>", "breast cancer", ["breast <b>cancer"]),
        ("H<sub>2</sub>O", "H2O", ["H<sub>2</sub>O"]),
        ("Ast&shy;hma, g&#111;&#x75;t", "Asthma, gout", ["Ast&shy;hma", "g&#111;&#x75;t"]),
        ("breast&#32;cancer&amp;", "breast cancer&", ["breast&#32;cancer"]),
        ("diabetes<sup>1</sup> gout", "diabetes gout", ["diabetes", "gout"]),
        ("p<0.05 in gout", "p<0.05 in gout", ["p", "0", "05", "in", "gout"]),
        ("a <b and c> d", "a <b and c> d", ["a", "b", "and", "c", "d"]),
        (
            "> breast can-\n> cer and\n> gout",
            "breast cancer\nand\ngout",
            ["breast can-\n> cer", "and", "gout"],
        ),
    ],
)
def test_a_text_is_read_without_its_tags_and_offsets_count_them(
    text: str, read: str, mentions: list[str]
) -> None:
    recogniser = Words()
    other = Document("other", "gout", extra={"kept": 1})
    first, second = recognise_shown(recogniser, [Document("d", text), other])
    assert recogniser.read == [read, "gout"]
    assert [mention.text for mention in first.mentions] == mentions
    assert all(text[m.start : m.end] == m.text and m.document.text == text for m in first.mentions)
    assert (first.text, second.text, second.extra) == (text, "gout", {"kept": 1})


_PARTS = [
    "<p>",
    "</b>",
    "<br/>",
    "gout ",
    "a",
    " ",
    "\n",
    "<",
    "<i x='1'>",
    ">",
    "&",
    "&#111;",
    "&ouml;",
    "&nGt;",
    "&#1;",
    "1",
]
_PARTS += ["<sup>", "</sup>", "<!--", "-->", "<script>", "</script>"]


@given(st.lists(st.sampled_from(_PARTS)))
def test_the_letters_of_mentions_are_those_of_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    recogniser = Words()
    (document,) = recognise_shown(recogniser, [Document("d", text)])
    plain = recogniser.read[0]
    assert plain == plain_text(text)
    assert [plain_text(m.text) for m in document.mentions] == re.findall(r"\w+", plain)
    assert all(text[m.start : m.end] == m.text for m in document.mentions)
