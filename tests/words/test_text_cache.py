"""Values of texts are kept while the texts are in use."""

from __future__ import annotations

from linnet.words.text_cache import RecentTexts


def test_a_text_is_worked_out_once_while_it_is_kept() -> None:
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    recent = RecentTexts(length, characters=10)
    assert [recent.of(text) for text in ("four", "fives", "four")] == [4, 5, 4]
    assert asked == ["four", "fives"]
    recent.of("twelve chars")  # more than all that may be kept
    recent.of("four")
    assert asked == ["four", "fives", "twelve chars", "four"]


def test_the_text_that_was_not_asked_for_longest_goes_first() -> None:
    asked: list[str] = []
    recent = RecentTexts(asked.append, characters=8)
    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        recent.of(text)
    assert asked == ["aaaa", "bbbb", "cccc", "bbbb"]


def test_an_empty_text_and_a_value_of_none_are_kept_too() -> None:
    asked: list[str] = []
    recent = RecentTexts(asked.append)
    assert recent.of("") is None
    assert recent.of("") is None
    assert asked == [""]
