"""Choices that are remembered are the same as without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from linnet.link import Linker
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology

TEXTS = ["cold", "Breast  Cancer", "brest cancr and cold", "blorp", "AT"]


def test_a_linker_reads_a_text_once_and_answers_the_same(
    terminology: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    linker = Linker.open([terminology])
    first = linker.link(TEXTS)
    searched: list[Sequence[str]] = []
    search = linker.group.search

    def counting(texts: Sequence[str], **options: Any) -> Hits:
        searched.append(texts)
        return search(texts, **options)

    monkeypatch.setattr(linker.group, "search", counting)
    assert linker.link(TEXTS[::-1]) == first[::-1]
    assert searched == []
    assert linker.link(TEXTS, k=3) == Linker.open([terminology]).link(TEXTS, k=3)
