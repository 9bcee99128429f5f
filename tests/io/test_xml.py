"""XML without cut texts: entities become their text, or their record is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linnet.errors import DataError
from linnet.io.xml import line_of, parse, records, text_at, text_of

DECLARED = '<!DOCTYPE list [<!ENTITY alpha "α"><!ENTITY a2 "&alpha;2 &amp; &lt;">]>'


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "some.xml"
    path.write_text(text, encoding="utf-8")
    return path


def read_both_ways(path: Path) -> list[str]:
    whole = [text_at(item, "name") for item in parse(path).iter("item")]
    assert [text_at(item, "name") for item in records(path, ["item"])] == whole
    return whole


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Patients with &alpha;-thalassemia", "Patients with α-thalassemia"),
        ("&alpha;", "α"),
        ("a &a2; and &alpha;&alpha;.", "a α2 & < and αα."),
        ("plain &amp; &#945;", "plain & α"),
        ("before <!-- a comment --><?and an instruction?>after", "before after"),
        ("<![CDATA[a < b]]> c", "a < b c"),
        ("H<sub>2</sub>O", "H2O"),
    ],
)
def test_text_is_whole_whatever_stands_in_it(tmp_path: Path, name: str, expected: str):
    path = file(
        tmp_path, f"{DECLARED}<list><item><name>{name}</name></item><item><name>next</name></item></list>"
    )
    assert read_both_ways(path) == [expected, "next"]


@pytest.mark.parametrize("doctype", ["", '<!DOCTYPE list SYSTEM "list.dtd">', DECLARED])
def test_an_undeclared_entity_is_refused_with_its_line_and_its_character(tmp_path: Path, doctype: str):
    path = file(tmp_path, f"{doctype}<list>\n<item>\n<name>the &gamma; chain</name></item></list>")
    for reading in (lambda: list(records(path, ["item"])), lambda: parse(path)):
        with pytest.raises(
            DataError, match=r"&gamma; is not declared .* sed 's/&gamma;/γ/g' /.*some.xml > NEW"
        ) as caught:
            reading()
        assert caught.value.line == 3


def test_an_undeclared_entity_without_a_known_character_is_to_be_declared(tmp_path: Path):
    path = file(tmp_path, f"{DECLARED}<list><item><name>&company;</name></item></list>")
    with pytest.raises(DataError, match=r'<!ENTITY company "…">'):
        list(records(path, ["item"]))


@pytest.mark.parametrize("doctype", ["", '<!DOCTYPE list SYSTEM "list.dtd">', DECLARED])
def test_an_undeclared_entity_in_an_attribute_is_refused(tmp_path: Path, doctype: str):
    path = file(tmp_path, f'{doctype}<list>\n<item key="&gamma;"><name>x</name></item></list>')
    for reading in (lambda: list(records(path, ["item"])), lambda: parse(path)):
        with pytest.raises(DataError, match="&gamma; is not declared"):
            reading()


def test_only_the_record_with_the_entity_is_refused_and_the_others_are_read(tmp_path: Path):
    items = "".join(f"<item><name>{name}</name></item>\n" for name in ("one", "&gamma;", "three"))
    path = file(tmp_path, f'<!DOCTYPE list SYSTEM "list.dtd">\n<list>\n{items}</list>')
    refused: list[DataError] = []
    assert [text_at(item, "name") for item in records(path, ["item"], refuse=refused.append)] == [
        "one",
        "three",
    ]
    assert [error.line for error in refused] == [4]


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE list [<!ENTITY x SYSTEM "file://{folder}/secret">]>',
        '<!DOCTYPE list [<!ENTITY x "<b>bold</b>">]>',
        '<!DOCTYPE list [<!ENTITY y "&x;"><!ENTITY x "&y;">]>',
        '<!DOCTYPE list [<!ENTITY x "{long}">]>',
    ],
)
def test_entities_outside_the_file_with_markup_endless_or_long_are_refused(tmp_path: Path, doctype: str):
    (tmp_path / "secret").write_text("secret")
    filled = doctype.replace("{folder}", str(tmp_path)).replace("{long}", "ha" * 1000)
    path = file(tmp_path, f"{filled}<list><item><name>&x;</name></item></list>")
    for reading in (lambda: list(records(path, ["item"])), lambda: parse(path)):
        with pytest.raises(DataError) as caught:
            reading()
        assert "secret" not in str(caught.value).replace(str(tmp_path), "")


@pytest.mark.parametrize("place", ["<name>&e9;</name>", '<name key="&e9;">x</name>'])
def test_entities_that_multiply_are_refused_at_once(tmp_path: Path, place: str):
    declared = '<!ENTITY e0 "ha">' + "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    path = file(tmp_path, f"<!DOCTYPE list [{declared}]><list><item>{place}</item></list>")
    for reading in (lambda: list(records(path, ["item"])), lambda: parse(path)):
        with pytest.raises(DataError):
            reading()


def test_elements_of_the_root_are_given_and_those_of_records_are_left_in_place(tmp_path: Path):
    path = file(
        tmp_path,
        "<list>\n<name>all</name><item>\n<name>one</name></item><item><name>two</name></item></list>",
    )
    seen = [
        (e.tag, line_of(e), text_of(e) or text_at(e, "name"))
        for e in records(path, ["item"], header=["name"])
    ]
    assert seen == [("name", 2, "all"), ("item", 2, "\none"), ("item", 3, "two")]


def test_malformed_xml_is_refused(tmp_path: Path):
    path = file(tmp_path, "<list><item><name>one</name></item>")
    for reading in (lambda: list(records(path, ["item"])), lambda: parse(path)):
        with pytest.raises(DataError, match=r"some\.xml.*not well-formed XML"):
            reading()
    assert text_of(None) == ""


@pytest.mark.parametrize("declared", ["", '<?xml version="1.0" encoding="utf-8"?>\n'])
@pytest.mark.parametrize("read", [parse, lambda path: list(records(path, ["record"]))])
def test_bytes_of_another_encoding_are_refused_in_words(tmp_path: Path, declared: str, read: Any) -> None:
    file = tmp_path / "a.xml"
    file.write_bytes(declared.encode() + "<all><record>Chol\u00e9ra</record></all>".encode("latin-1"))
    with pytest.raises(DataError, match=r"a\.xml:\d: .*iconv -f windows-1252 -t utf-8"):
        read(file)
