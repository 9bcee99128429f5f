"""The page's types are those of the API."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("fastapi", reason="needs the annotate extra")

sys.path.append(str(Path(__file__).parents[1] / "tools"))

from page_types import GENERATOR, TYPES, generated


@pytest.mark.skipif(not GENERATOR.exists(), reason="needs the page's packages: make web")
def test_the_generated_file_is_current() -> None:
    assert TYPES.read_text(encoding="utf-8") == generated(), "Run: npm run types (in web/)"


def test_review_answers_with_the_schemas_of_annotate() -> None:
    from linnet.annotate.api import app as annotate
    from linnet.annotate.review import app as review

    nothing = cast(Any, SimpleNamespace())
    schemas = annotate.create_app(nothing).openapi()["components"]["schemas"]
    reviewing = review.create_app(nothing).openapi()["components"]["schemas"]
    assert len(reviewing) > 25
    assert reviewing.items() <= schemas.items()
