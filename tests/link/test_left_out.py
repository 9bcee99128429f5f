"""What a string's reading leaves out, though it may name something, is told, and makes the link less probable."""

from __future__ import annotations

from pathlib import Path

import pytest

import linnet


@pytest.fixture(scope="module")
def linker() -> linnet.Linker:
    return linnet.load("starter")


@pytest.mark.parametrize(
    ("text", "rest"), [("gout\nblorp zing", "gout"), ("gout; blorp zing; asthma", "gout; asthma")]
)
def test_it_is_a_part_without_a_concept(linker: linnet.Linker, text: str, rest: str) -> None:
    link, without = linker.link([text, rest])
    assert link.concepts == without.concepts
    assert [part.mention.text for part in link.parts if not part.concepts] == ["blorp zing"]
    assert link.probability is not None
    assert without.probability is not None
    assert link.probability < without.probability


@pytest.mark.parametrize("text", ["gout\nblorp zing", "gout; blorp zing; asthma"])
def test_overrides_of_other_names_change_nothing(linker: linnet.Linker, text: str, tmp_path: Path) -> None:
    file = tmp_path / "overrides.tsv"
    file.write_text("cold\tMESH:D006073\tforce\n", encoding="utf-8")
    [link], [alone] = linnet.load("starter", overrides=file).link([text]), linker.link([text])
    assert (link.concepts, link.probability) == (alone.concepts, alone.probability)
    assert [part.concepts for part in link.parts] == [part.concepts for part in alone.parts]


def test_what_says_nothing_is_not_told(linker: linnet.Linker) -> None:
    [link] = linker.link(["gout\nstable"])
    assert link.parts == ()
    assert link.concepts == ("MESH:D006073",)


def test_a_short_form_in_a_cell_leaves_its_lines_apart(linker: linnet.Linker) -> None:
    [link] = linker.link(["gout\nchronic obstructive pulmonary disease (COPD)"])
    assert link.concepts == ("MESH:D006073", "MESH:D029424")


def test_a_line_end_inside_a_name_is_a_blank_or_its_lines_are_told(linker: linnet.Linker) -> None:
    names = [
        "breast cancer",
        "type 2 diabetes",
        "non-small cell lung carcinomas",
        "chronic kidney diseases",
        "hart attack",
    ]
    for name in names:
        [whole, *broken] = linker.link(
            [name, *(f"{name[:at]}\n{name[at + 1 :]}" for at, c in enumerate(name) if c == " ")]
        )
        for link in broken:
            assert link.parts or link.concepts == whole.concepts


def test_a_denial_on_the_first_line_denies_no_other_line(linker: linnet.Linker) -> None:
    assert linker.link(["no fever\nasthma"])[0].concepts == ("MESH:D001249",)
    assert linker.link(["no asthma"])[0].is_nil
