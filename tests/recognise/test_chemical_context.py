"""What the text means by a name that may be a chemical's."""

from __future__ import annotations

import doctest

from linnet.recognise import chemical_context
from linnet.recognise.chemical_context import mean_chemicals


def test_the_examples_hold() -> None:
    tried = doctest.testmod(chemical_context)
    assert tried.attempted > tried.failed == 0


def test_a_notation_inside_a_longer_name_leaves_the_name_a_chemical() -> None:
    text = "We gave [D-Ala2,N-MePhe4,Gly5-ol]-enkephalin, not Ala2Gly."
    name = "[D-Ala2,N-MePhe4,Gly5-ol]-enkephalin"
    whole, part = (text.index(name), text.index(name) + len(name)), (text.index("Ala2Gly"), len(text) - 1)
    assert mean_chemicals(text, [whole, part]) == [True, False]


def test_the_answers_are_in_the_order_asked() -> None:
    text = "Zinc after a change of valine to leucine"
    spans = [(text.index("leucine"), len(text)), (0, 4)]
    assert mean_chemicals(text, spans) == [False, True]
    assert mean_chemicals(text, []) == []
