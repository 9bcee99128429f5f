"""`--types A B` in every place it can stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.cli.raw_arguments import spread_values


def spread(*args: str, required: int = 1) -> list[str]:
    return spread_values(args, repeatable={"-t", "--types"}, valued={"-o"}, required=required)


def test_words_after_a_repeatable_option_are_its_values() -> None:
    assert spread("in", "-t", "a", "b", "--types", "X", "Y", "-o", "out") == [
        *("in", "-t", "a", "-t", "b", "--types", "X", "--types", "Y", "-o", "out")
    ]


def test_a_missing_argument_is_taken_from_the_end() -> None:
    assert spread("-t", "a", "b", "in") == ["-t", "a", "-t", "b", "in"]


def test_a_missing_argument_is_the_word_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").write_text("x")
    assert spread("-t", "a", "in", "--types", "X", "Y") == ["-t", "a", "in", "--types", "X", "--types", "Y"]
    assert spread("--types", "X", "Y", "-t", "a", "-") == ["--types", "X", "--types", "Y", "-t", "a", "-"]


def test_other_options_keep_their_single_value() -> None:
    assert spread("-o", "out", "in") == ["-o", "out", "in"]


def test_after_two_dashes_everything_is_an_argument() -> None:
    assert spread("-t", "a", "--", "-x", required=1) == ["-t", "a", "--", "-x"]


def test_an_option_without_its_value_is_left_for_the_parser_to_refuse() -> None:
    assert spread("in", "-t") == ["in", "-t"]
