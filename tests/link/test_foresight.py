"""What is searched for together with the texts: it saves time and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from linnet.link import Linker, Pipeline, linker
from linnet.link.foresight import foreseen
from linnet.link.queries import Queries
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology
from linnet.types import Mention

TEXTS = [
    "cold",
    "aspirin 100 mg",
    "brest cancr",
    "breast and ovarian cancer",
    "Na+",
    "breast or ovarian cancr",
    "",
]


@pytest.fixture
def queries(terminology: Terminology) -> Queries:
    return Queries(Linker.open([terminology]).targets)


def ahead(queries: Queries, *texts: str, composites: bool = True) -> list[str]:
    return foreseen([Mention.alone(text) for text in texts], texts, queries, composites=composites)


def test_of_a_name_nothing_else_is_looked_for(queries: Queries) -> None:
    assert ahead(queries, "cold", "Breast  Cancer") == []


def test_other_readings_and_parts_are(queries: Queries) -> None:
    assert ahead(queries, "aspirin 100 mg") == ["aspirin"]
    assert ahead(queries, "brest cancer") == ["breast cancer"]
    assert ahead(queries, "breast and ovarian cancer") == ["breast cancer", "ovarian cancer"]
    assert ahead(queries, "breast and ovarian cancer", composites=False) == []


def test_what_was_searched_for_is_passed_over(queries: Queries) -> None:
    queries.search(["aspirin 100 mg"], k=5)
    assert ahead(queries, "aspirin 100 mg") == []


def test_all_is_found_in_one_look(terminology: Terminology, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Linker.open([terminology], pipeline=Pipeline(reranker=None))
    looks: list[int] = []
    search = opened.targets.search

    def counted(texts: Sequence[str], *, k: int) -> Hits:
        looks.append(len(texts))
        return search(texts, k=k)

    monkeypatch.setattr(opened.targets, "search", counted)
    opened.link(["aspirin 100 mg", "breast and ovarian cancer", "brest cancr"])
    assert len(looks) == 1


def test_links_do_not_depend_on_it(terminology: Terminology, monkeypatch: pytest.MonkeyPatch) -> None:
    with_it = Linker.open([terminology]).link(TEXTS)
    monkeypatch.setattr(linker, "foreseen", lambda *_, **__: [])
    assert Linker.open([terminology]).link(TEXTS) == with_it
