"""Cells that stand for an empty one are emptied and counted; names that only look so stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.readers import ReadOptions, read


def rows(folder: Path, text: str, **options: object) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Names by id, and the notes."""
    file, told = folder / "a.csv", list[str]()
    file.write_text(text, encoding="utf-8")
    concepts = read(file, options=ReadOptions(notice=told.append, **options))  # type: ignore[arg-type]
    return {concept.id: concept.all_names for concept in concepts}, told


@pytest.mark.parametrize("word", ["NaN", "NULL", "\\N", "N/A", "#N/A", "<NA>", "#REF!"])
def test_words_of_programs_are_empty_cells(tmp_path: Path, word: str) -> None:
    names, told = rows(tmp_path, f"id,name,synonyms\nX:1,gout,{word}\nX:2,asthma,wheeze\n")
    assert names == {"X:1": ("gout",), "X:2": ("asthma", "wheeze")}
    assert any(f"1 cell holds '{word}' (1) and was read as empty." in note for note in told)


def test_words_that_may_be_names_are_empty_where_a_column_repeats_them(tmp_path: Path) -> None:
    names, told = rows(tmp_path, "id,name,synonyms\nX:1,nan,NA\nX:2,asthma,NA\nX:3,gout,podagra\n")
    assert names == {"X:1": ("nan",), "X:2": ("asthma",), "X:3": ("gout", "podagra")}
    assert any("2 cells hold 'NA' (2) and were read as empty." in note for note in told)


@pytest.mark.parametrize("id", ["", " ", "nan", "NULL", "NA", "#N/A", "None", "-"])
def test_a_row_without_an_id_is_refused_also_with_a_prefix(tmp_path: Path, id: str) -> None:
    text = f"id,name\n{id},gout\n2,asthma\n"
    with pytest.raises(DataError, match="row without an id") as caught:
        rows(tmp_path, text, prefix="X")
    assert caught.value.line == 2
    assert rows(tmp_path, text, prefix="X", on_error="skip")[0] == {"X:2": ("asthma",)}
