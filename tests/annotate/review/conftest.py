"""The review of a small mapping, called without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.mapping.conftest import make, mapping, omop

from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.annotate.review.app import create_app
from linnet.mapping import Mapping

__all__ = ["make", "mapping", "omop"]


class Page(TestClient):
    """A page of the review in a browser."""

    def __init__(self, opened: OpenMapping) -> None:
        headers = {"X-Linnet": "review"}
        super().__init__(create_app(opened), base_url="http://127.0.0.1:8768", headers=headers)

    def read(self, path: str, **query: Any) -> Any:
        """The answer of a path under /api/mapping."""
        answer = self.get(f"/api/mapping{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def change(self, path: str, **body: Any) -> Any:
        """The answer to a change."""
        answer = self.post(f"/api/mapping{path}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def decide(self, row: int, *concepts: str, **said: Any) -> Any:
        """The row after a decision."""
        return self.change(f"/rows/{row}/decision", concepts=list(concepts), **said)["row"]


@pytest.fixture
def open_page(mapping: Mapping) -> Iterator[Callable[[], Page]]:
    """Opens pages, each with a server of its own."""
    opened: list[OpenMapping] = []

    def open_page() -> Page:
        opened.append(OpenMapping.folder(mapping.path))
        return Page(opened[-1])

    yield open_page
    for each in opened:
        each.close()


@pytest.fixture
def page(open_page: Callable[[], Page]) -> Page:
    return open_page()
