"""The first object of a JSON file."""

from __future__ import annotations

import pytest

from linnet.formats.json_head import first_object


@pytest.mark.parametrize(
    ("head", "layout", "record"),
    [
        ('{"id": 1}\n{"id": 2}\n', "lines", {"id": 1}),
        ('{"id": 1}', "lines", {"id": 1}),
        ('{"id": 1, "text": "a very long li', "lines", {"id": 1, "text": ""}),
        ('{"id": "1", "text": \n{"id": "2"}\n', "lines", {"id": "2"}),
        ('{\n "id": 1,\n "spans": [[0, 4], [5', "object", {"id": 1, "spans": [[0, 4], []]}),
        ('{"name": "x", "documents": [\n{"id": 1}\n]}', "object", {"name": "x", "documents": [{"id": 1}]}),
        ('[{"id": 1}, {"id"', "array", {"id": 1}),
        ('[{"id": 1}]\n[{"id": 2}]\n', "lines", {"id": 1}),
        ('[{"id": 1},\n{"id": 2}]\n', "array", {"id": 1}),
        ('[{"id": 1}]\n', "array", {"id": 1}),
        ("[]", "array", None),
        ('["a", "b"]', "array", None),
        ('{"a": "}]{", "b": {"c": "\\"]"}, "d', "lines", {"a": "}]{", "b": {"c": '"]'}}),
    ],
)
def test_layout_and_first_object_are_told_however_little_of_the_file_there_is(
    head: str, layout: str, record: object
):
    found = first_object(head)
    assert found is not None
    assert (found.layout, found.record) == (layout, record)


@pytest.mark.parametrize("text", ["{gout} hurts", "[Gout in men.]", "[1] Smith", "Gout", "{\n{"])
def test_prose_in_brackets_is_no_json(text: str):
    assert first_object(text) is None
