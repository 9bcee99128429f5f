"""The words that spelling correction leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.retrieve import known_words
from linnet.retrieve.known_words import is_known, write_known_words


@pytest.mark.parametrize("word", ["effective", "patients", "prednisolone", "aspirin", "hypertension"])
def test_right_words_are_known(word: str) -> None:
    assert is_known(word)


@pytest.mark.parametrize("word", ["efective", "pateints", "predinsolone", "asprin", "hypretension", ""])
def test_misspelt_words_are_not(word: str) -> None:
    assert not is_known(word)


def test_all_that_was_written_is_known_and_little_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "words.bin"
    assert write_known_words((f"word{number}" for number in [*range(2000), 7]), file) == 2000
    monkeypatch.setattr(known_words, "FILE", file)
    known_words._bits.cache_clear()
    try:
        assert all(is_known(f"word{number}") for number in range(2000))
        wrongly_known = sum(is_known(f"other{number}") for number in range(5000))
    finally:
        known_words._bits.cache_clear()
    assert wrongly_known < 25  # 1 in 500
