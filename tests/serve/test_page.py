"""What docs/serving.md shows is what the service answers."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from linnet.link.starter import starter_terminology

PAGE = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")


def _documents(text: str) -> Iterator[Any]:
    """The JSON documents of a text, one after the other."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(text.rstrip()):
        found, place = decoder.raw_decode(text, place)
        yield found
        place = re.compile(r"\s*").match(text, place).end()  # type: ignore[union-attr]


def _requests(block: str) -> Iterator[tuple[str, str, bytes | None, dict[str, str]]]:
    for command in block.replace("\\\n", " ").replace("|\n", "|").splitlines():
        before, _, asked = command.rpartition("|")
        words = shlex.split(asked)
        if words[0] != "curl" or "server:8766" in asked:
            continue
        [url] = [urlsplit(word) for word in words if word.startswith("http")]
        data = words[words.index("-d") + 1] if "-d" in words else None
        if before:
            data = "\n".join(shlex.split(before)[2:])
        headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
        path = url.path + (f"?{url.query}" if url.query else "")
        yield "GET" if data is None else "POST", path, None if data is None else data.encode(), headers


def _same(shown: Any, found: Any) -> bool:
    """Whether an answer is as it is shown: … stands for anything, and probabilities may differ a little."""
    if shown == "…":
        return True
    if isinstance(shown, dict):
        return shown.keys() == found.keys() and all(_same(shown[key], found[key]) for key in shown)
    if isinstance(shown, list):
        return len(shown) == len(found) and all(map(_same, shown, found))
    if isinstance(shown, float):
        return bool(shown == pytest.approx(found, abs=0.1))
    return bool(shown == found)


def test_the_examples_are_answered_as_the_page_shows(make_site: Any) -> None:
    site = make_site(terminologies=(starter_terminology(),))
    count = 0
    for blocks in re.finditer(
        r"```bash\n((?:(?!```).)*?curl.*?)```\n((?:\n```json\n.*?```\n)+)", PAGE, re.DOTALL
    ):
        shown = [
            one for text in re.findall(r"```json\n(.*?)```", blocks[2], re.DOTALL) for one in _documents(text)
        ]
        found: list[Any] = []
        for method, path, data, headers in _requests(blocks[1]):
            answer = site.client.request(method, path, content=data, headers=headers)
            found += _documents(answer.text)
        assert len(shown) == len(found), blocks[0]
        for one, other in zip(shown, found, strict=True):
            assert _same(one, other), f"shown {one}\n\nfound {other}"
        count += len(found)
    assert count == 5
