"""Markup becomes the characters that it stands for; what only looks like it stays."""

from __future__ import annotations

import pytest

from linnet.recognise.markup import without_markup


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("gout &amp; asthma", "gout & asthma"),
        ("Sj&ouml;gren&#39;s", "Sjögren's"),
        ("gout<br/>asthma", "gout\nasthma"),
        ("<li class='x'>gout</li>", "\ngout\n"),
        ("<i>E. coli</i> infection", "E. coli infection"),
        ("H<sub>2</sub>O", "H2O"),
    ],
)
def test_what_a_page_shows(text: str, plain: str) -> None:
    assert without_markup(text) == plain


@pytest.mark.parametrize("text", ["p<0.05", "K <3.2 and >2", "AT&T; A&B", "<none>", "a < b > c", "&co;"])
def test_other_text_stays(text: str) -> None:
    assert without_markup(text) == text
