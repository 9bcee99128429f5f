"""Strings that name nothing, and strings that look like it but name something."""

# ruff: noqa: E501 (lists of strings)

from __future__ import annotations

import pytest

from linnet.read.placeholders import placeholder


@pytest.mark.parametrize(
    "text",
    ["n/a", "N/A", "none", "unknown", "see notes", "Please see attached letter", "-", "?", "TBC", "not applicable", "test", "asdf",
     "12", "03/04/2019", "2021-03-04", "Dec 2020", "3rd March", "12 Sept 2021", "name@example.org", "https://example.org", "", "  ", "xxx", "5 mg", "NK", "as above",
     "Follow up in 6 weeks", "(none)", "#REF!", "No known allergies", "Tel: 555 123", "to be confirmed", "lorem ipsum dolor"],
)  # fmt: skip
def test_placeholders_numbers_and_notes(text: str) -> None:
    assert placeholder(text)


@pytest.mark.parametrize(
    "text",
    ["asthma", "sepsis", "marasmus", "decubitus", "Augmentin", "novel influenza", "May-Thurner syndrome", "aural", "unknown primary cancer", "test anxiety", "COVID-19", "HER2", "5-FU", "B12", "other specified anxiety", "nilotinib", "Nonne syndrome",
     "normal pressure hydrocephalus", "positive airway pressure", "multiple sclerosis", "stable angina", "T2DM", "IgA nephropathy", "missing teeth"],
)  # fmt: skip
def test_names_that_begin_like_placeholders(text: str) -> None:
    assert not placeholder(text)
