import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.terminology.readers.clean import clean


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Gull&apos;s &amp; co", "Gull's & co"),
        ("S&#246;dergren &#xe9;", "Södergren é"),
        ("A&B; AT&T", "A&B; AT&T"),
        ("x&reg y", "x&reg y"),
        ("  two \t spaces\x1f", "two spaces"),
        ("soft\u00adhyphen\u200b", "softhyphen"),
    ],
)
def test_entities_and_spaces(raw: str, expected: str) -> None:
    assert clean(raw) == expected


@given(st.text())
def test_a_clean_name_has_no_white_space_at_its_ends_and_no_control_characters(text: str) -> None:
    cleaned = clean(text)
    assert cleaned == cleaned.strip()
    assert cleaned.isprintable()
