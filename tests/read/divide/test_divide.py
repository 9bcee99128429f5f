"""The ways to divide a string, and which texts name nothing, before anything is looked up."""

from __future__ import annotations

import pytest

from linnet.read.divide import Kind, Node, joining_words, tree


def ways(text: str, *, shorthand: bool = True) -> list[tuple[Kind, tuple[str, ...]]]:
    """Kind and items of each division of the whole text."""
    root = tree(text, composites=True, shorthand=shorthand)
    return [(kind, tuple(item.text for item in items)) for kind, items in root.divisions]


def test_separators_that_names_lack_come_before_others() -> None:
    text = "asthma, severe; eczema and hay fever"
    assert ways(text) == [(Kind.SEPARATE, ("asthma, severe", "eczema and hay fever"))]
    [division] = tree(text, composites=True, shorthand=True).divisions
    assert Kind.JOINED in {inner.kind for inner in division.items[1].divisions}


@pytest.mark.parametrize(
    ("text", "kind", "items"),
    [
        ("HTN - lisinopril", Kind.DASHED, ("HTN", "lisinopril")),
        ("gout\nasthma", Kind.SEPARATE, ("gout", "asthma")),
        ("gout, asthma", Kind.COMMAS, ("gout", "asthma")),
        ("gout/asthma", Kind.SIGNS, ("gout", "asthma")),
        ("gout and asthma", Kind.LIST, ("gout", "asthma")),
        ("breast & ovarian cancer", Kind.SHARE, ("breast cancer", "ovarian cancer")),
        ("zarnitis A, B and C", Kind.SERIES, ("zarnitis A", "zarnitis B", "zarnitis C")),
        ("asthma w/ eczema", Kind.JOINED, ("asthma", "eczema")),
        ("asthma without eczema", Kind.JOINED, ("asthma", "no eczema")),
        ("gout on allopurinol", Kind.ON, ("gout", "allopurinol")),
        ("gout on allopurinol", Kind.ASIDE, ("gout",)),
        ("pneumonia due to influenza", Kind.RELATED, ("pneumonia", "influenza")),
        ("aspirin-induced asthma", Kind.CAUSED, ("asthma", "aspirin")),
    ],
)
def test_each_joint_has_its_kind(text: str, kind: Kind, items: tuple[str, ...]) -> None:
    assert (kind, items) in ways(text)


def test_commas_are_no_other_list_too() -> None:
    assert [kind for kind, items in ways("gout, asthma") if items == ("gout", "asthma")] == [Kind.COMMAS]


def test_one_thing_is_not_divided() -> None:
    assert ways("asthma") == []


def test_composites_can_be_left_whole() -> None:
    assert tree("gout; asthma", composites=False, shorthand=True) == Node("gout; asthma", "", ())


def test_lines_are_those_of_one_name_where_a_string_is_read_as_one_thing() -> None:
    root = tree("chronic\ngout", composites=True, shorthand=True)
    assert root.text == "chronic gout"
    assert [item.text for item in root.divisions[0].items] == ["chronic", "gout"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("see notes", "placeholder: elsewhere"),
        ("2019", "placeholder: number"),
        ("no fever", "negated"),
        ("no fever or gout", "negated"),
        ("neither fever nor gout", "negated"),
        ("negative for fever and gout", "negated"),
        ("no fever, gout", "negated, and more"),
        ("no fever; gout", "negated, and more"),
        ("denies chest pain", "negated"),
        ("severe acute", "only qualifiers"),
        ("asthma", ""),
        ("no fever\nasthma", ""),  # denies its first line, and nothing else
    ],
)
def test_a_text_that_names_nothing_says_by_which_rule(text: str, rule: str) -> None:
    assert tree(text, composites=True, shorthand=True).silent == rule


def test_a_list_of_any_length_is_divided_in_bounded_time() -> None:
    names = [f"zarnitis {number}" for number in range(500)]
    few, many = (tree("; ".join(some), composites=True, shorthand=True) for some in (names[:20], names))
    assert [item.text for item in few.divisions[0].items] == names[:20]
    assert many.divisions == ()
    assert len(list(tree(" and ".join(names), composites=True, shorthand=True).nodes())) < 2000


def test_all_nodes_are_those_of_all_divisions() -> None:
    texts = [node.text for node in tree("gout; asthma, severe", composites=True, shorthand=True).nodes()]
    assert texts[0] == "gout; asthma, severe"
    assert {"gout", "asthma, severe", "asthma", "severe"} < set(texts)


def test_words_between_things_are_known_by_their_stems() -> None:
    assert {"with", "both", "due"} <= joining_words()
    assert "gout" not in joining_words()


def test_a_brand_of_several_drugs_is_divided_into_them() -> None:
    [division] = tree("Stalevo", composites=True, shorthand=True).divisions
    assert [item.text for item in division.items] == ["levodopa", "carbidopa", "entacapone"]
    assert not tree("Stalevo", composites=True, shorthand=False).divisions
    assert not tree("Stalevo", composites=False, shorthand=True).divisions
