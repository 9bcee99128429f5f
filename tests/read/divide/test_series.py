"""Names that are listed by their last signs."""

from __future__ import annotations

import doctest

import pytest

from linnet.read.divide import series
from linnet.read.divide.series import enumeration_from, is_enumeration, numbered_names


@pytest.mark.parametrize(
    ("text", "first", "names"),
    [
        ("hepatitis A, B and C were", "hepatitis A", ("hepatitis A", "hepatitis B", "hepatitis C")),
        ("hepatitis B or C.", "hepatitis B", ("hepatitis B", "hepatitis C")),
        ("hepatitis B/C", "hepatitis B", ("hepatitis B", "hepatitis C")),
        ("trisomy 13, 18, or 21.", "trisomy 13", ("trisomy 13", "trisomy 18", "trisomy 21")),
        ("dorn type I and III in", "dorn type I", ("dorn type I", "dorn type III")),
        ("Vitamins Z1, Z6 and Z12 are", "Vitamins Z1", ("Vitamins Z1", "Vitamins Z6", "Vitamins Z12")),
        ("zarnin 2A and 2B", "zarnin 2A", ("zarnin 2A", "zarnin 2B")),
    ],
)
def test_each_name_of_a_list_is_written_out(text: str, first: str, names: tuple[str, ...]) -> None:
    found = enumeration_from(text, 0, len(first))
    assert found is not None
    assert found.names == names
    assert is_enumeration(text[: found.end])


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("hepatitis A in adults", "hepatitis A"), ("hepatitis A, but no fever", "hepatitis A"), ("hepatitis B and HIV", "hepatitis B"),
        ("dorn 1 and 2 patients", "dorn 1"), ("dorn 1 and 2 of them", "dorn 1"), ("dorn 1 and 20%", "dorn 1"),
        ("dorn 1 and 2.5 mg", "dorn 1"),
        ("A and B", "A"), ("hepatitis and B", "hepatitis"), ("hepatitis A and beta", "hepatitis A"), ("", ""),
    ],
)  # fmt: skip
def test_what_follows_another_name_is_no_list(text: str, first: str) -> None:
    assert enumeration_from(text, 0, len(first)) is None


@pytest.mark.parametrize(
    "text",
    [
        "hepatitis A",
        "breast and ovarian cancer",
        "hepatitis A, B and C virus",
        "A, B and C",
        "a" * 10_000,
        "hepatitis A" + ", B" * 100_000,
    ],
)
def test_other_texts_are_no_lists(text: str) -> None:
    assert not is_enumeration(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("type 1 and 2 dorn", ("type 1 dorn", "type 2 dorn")),
        ("Type 1 or type 2 dorn", ("Type 1 dorn", "Type 2 dorn")),
        ("types I, II and III dorn disease", ("type I dorn disease", "type II dorn disease", "type III dorn disease")),
        ("type-1 and type-2 dorn", ("type 1 dorn", "type 2 dorn")),
        ("type 1/2 dorn", ("type 1 dorn", "type 2 dorn")),
        ("stage 3 and 4 chronic kidney disease", ("stage 3 chronic kidney disease", "stage 4 chronic kidney disease")),
        ("stage 2A or 2B dorn", ("stage 2A dorn", "stage 2B dorn")),
    ],
)  # fmt: skip
def test_each_name_of_a_list_that_shares_its_end_is_written_out(text: str, names: tuple[str, ...]) -> None:
    assert numbered_names(text) == names
    assert is_enumeration(text)


@pytest.mark.parametrize(
    "text",
    [
        "type 1 dorn", "type 1 and dorn", "type 1 and 2", "type 1 and 2 dorn and zarn", "type 1 and 2 dorn, zarn", "type A and B dorn",
        "type 1 and 2 of dorn", "grade 1 and 2 dorn",
        "a type 1 and 2 dorn", "prototype 1 and 2 dorn", "type 1 and stage 2 dorn", "type 1 and 2.5 mg", "type 1" + ", 2" * 100_000,
    ],
)  # fmt: skip
def test_other_texts_are_no_lists_that_share_their_end(text: str) -> None:
    assert numbered_names(text) == ()


def test_the_examples_hold() -> None:
    assert doctest.testmod(series).failed == 0
