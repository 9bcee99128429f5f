"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).parents[1].parent / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora and terminologies; the test is skipped where there is none."""
    named = os.environ.get("LINNET_DATA")
    folder = Path(named) if named else _BESIDE
    if not folder.is_dir():
        pytest.skip("real data absent: set LINNET_DATA to the folder with corpora/ and terminologies/")
    return folder
