from __future__ import annotations

import doctest

from linnet.corpora import tool_exports
from linnet.corpora.tools import concept_fields


def test_the_examples_in_the_docstrings_hold():
    for module in (tool_exports, concept_fields):
        tried = doctest.testmod(module)
        assert tried.attempted > tried.failed == 0
