"""BigBio's knowledge-base schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from linnet import corpora
from linnet.corpora import Notes, detect, read
from linnet.errors import DataError, OffsetError

RECORD: dict[str, Any] = {
    "id": "0",
    "document_id": "7",
    "passages": [
        {"id": "p1", "type": "title", "text": ["Gout and ataxia"], "offsets": [[0, 15]]},
        {"id": "p2", "type": "abstract", "text": ["Both hurt."], "offsets": [[16, 26]]},
    ],
    "entities": [
        {"id": "e1", "offsets": [[0, 4]], "text": ["Gout"], "type": "Disease",
         "normalized": [{"db_name": "MESH", "db_id": "D000001"}, {"db_name": "UMLS", "db_id": "UMLS:C0000001"}]},
        {"id": "e2", "offsets": [[0, 4], [9, 15]], "text": ["Gout", "ataxia"], "type": "Disease", "normalized": []},
        {"id": "e3", "offsets": [[16, 20]], "text": ["Both"], "type": "Disease",
         "normalized": [{"db_name": "MESH", "db_id": "-1"}]},
    ],
    "events": [], "coreferences": [], "relations": [{"id": "r1"}, {"id": "r2"}],
}  # fmt: skip


@pytest.mark.parametrize("layout", ["array", "lines", "object"])
def test_entities_keep_their_places_and_concepts_in_every_layout(tmp_path: Path, layout: str):
    second = RECORD | {"document_id": "8"}
    content = {
        "array": json.dumps([RECORD, second]),
        "lines": f"{json.dumps(RECORD)}\n{json.dumps(second)}\n",
        "object": json.dumps(RECORD, indent=1),
    }[layout]
    path = tmp_path / "corpus.json"
    path.write_text(content)
    assert detect(path) == "bigbio"
    notes = Notes()
    document, *others = read(path, note=notes.add)
    assert [other.id for other in others] == ([] if layout == "object" else ["8"])
    assert (document.id, document.text) == ("7", "Gout and ataxia Both hurt.")
    assert [(m.text, m.concepts, m.extra) for m in document.mentions] == [
        ("Gout", ("MESH:D000001", "UMLS:C0000001"), {}),
        ("Gout and ataxia", (), {"spans": [[0, 4], [9, 15]]}),
        ("Both", (), {}),
    ]
    assert notes.counts == {"relations, left out": 2 * (1 + len(others))}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"entities": [{"offsets": [[0, 4]], "text": ["Goat"]}]}, OffsetError, "says 'Goat'"),
        ({"entities": [{"offsets": [[0, 99]], "text": ["Gout"]}]}, OffsetError, "outside the text"),
        ({"entities": [{"text": ["Gout"]}]}, DataError, 'expected "offsets"'),
        ({"entities": [{"offsets": [[0, 4]], "normalized": ["D1"]}]}, DataError, 'expected "normalized"'),
        ({"passages": [{"text": "Gout", "offsets": [[0, 4]]}]}, DataError, "expected passages"),
        ({"passages": [{"text": ["Gout", "x"], "offsets": [[0, 4], [2, 3]]}]}, DataError, "begins at 2"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, change: dict[str, Any], error: type, message: str):
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps([RECORD | change]))
    with pytest.raises(error, match=message):
        list(read(path))


def test_fields_of_another_kind_are_refused_or_counted(tmp_path: Path):
    entity = {"offsets": [[0, 4]], "normalized": True}
    record = {
        "document_id": "1",
        "passages": [{"text": ["Gout."], "offsets": [[0, 5]]}],
        "entities": [entity],
    }
    path = tmp_path / "a.json"
    path.write_text(json.dumps([record | {"events": 3}]), encoding="utf-8")
    with pytest.raises(DataError, match='entity 1: expected "normalized"'):
        list(corpora.read(path, format="bigbio"))
