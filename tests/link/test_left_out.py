"""What a string's reading leaves out, though it may name something, is told, and makes the link less probable."""

from __future__ import annotations

import pytest

import linnet


@pytest.fixture(scope="module")
def linker() -> linnet.Linker:
    return linnet.load("starter")


@pytest.mark.parametrize("text", ["gout\nblorp zing", "gout; blorp zing; asthma"])
def test_it_is_a_part_without_a_concept(linker: linnet.Linker, text: str) -> None:
    link, without = linker.link([text, text.replace("blorp zing", "").strip()])
    assert link.concepts == without.concepts
    assert [part.mention.text for part in link.parts if not part.concepts] == ["blorp zing"]
    assert link.probability is not None
    assert without.probability is not None
    assert link.probability < without.probability


def test_what_says_nothing_is_not_told(linker: linnet.Linker) -> None:
    [link] = linker.link(["gout\nstable"])
    assert link.parts == ()
    assert link.concepts == ("MESH:D006073",)
