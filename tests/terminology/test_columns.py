"""Columns are read in place, also empty and non-ASCII ones, and damage is noticed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError
from linnet.terminology.columns import Lists, Strings, read_columns, write_columns


@pytest.mark.parametrize("type", [pa.string(), pa.large_string()])
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5)))
@settings(max_examples=40, deadline=None)
def test_strings_are_read_back_and_found_by_binary_search(
    tmp_path_factory: pytest.TempPathFactory, type: pa.DataType, texts: list[str]
) -> None:
    ordered = sorted(texts)
    file = tmp_path_factory.mktemp("strings") / "x.arrow"
    write_columns(file, {"text": pa.array(ordered, type)})
    column = read_columns(file, rebuild=Step.MODEL_AGAIN())["text"]
    assert isinstance(column, Strings)
    assert column.take(range(len(column))) == ordered
    for text in ordered:
        assert column.find(text) == ordered.index(text)
    assert column.find("\U0010ffff!") == -1


@given(lists=st.lists(st.lists(st.integers(0, 9), max_size=3)))
@settings(max_examples=40, deadline=None)
def test_lists_are_read_back(tmp_path_factory: pytest.TempPathFactory, lists: list[list[int]]) -> None:
    file = tmp_path_factory.mktemp("lists") / "x.arrow"
    write_columns(file, {"rows": pa.array(lists, pa.list_(pa.int32()))})
    column = read_columns(file, rebuild=Step.MODEL_AGAIN())["rows"]
    assert isinstance(column, Lists)
    assert len(column) == len(lists)
    assert [column[row].tolist() for row in range(len(column))] == lists


@pytest.mark.parametrize("content", [b"", b"ARROW1", b"ARROW1" + bytes(100)])
def test_a_file_that_is_no_column_file_says_what_to_run(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.arrow"
    file.write_bytes(content)
    with pytest.raises(DamagedError, match=r"x\.arrow cannot be read", check=advises(Step.MODEL_AGAIN)):
        read_columns(file, rebuild=Step.MODEL_AGAIN())
    with pytest.raises(DamagedError, match="gone"):
        read_columns(tmp_path / "gone", rebuild=Step.MODEL_AGAIN())
