"""Documents of spaCy's DocBin."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import pytest

from linnet import corpora
from linnet.errors import DataError, MissingExtraError
from linnet.terminology import readers

spacy = pytest.importorskip("spacy", reason="needs the spacy extra")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    nlp = spacy.blank("en")
    gout, none = nlp("Gout hurts."), nlp("The linnet sings.")
    disease, verb = gout.char_span(0, 4, "Disease", kb_id="MESH:D006073"), gout.char_span(5, 10, "HP:0000001")
    gout.set_ents([disease, verb])
    gout.spans["others"] = [gout[1:2]]
    place = tmp_path / "train.spacy"
    spacy.tokens.DocBin(docs=[gout, none]).to_disk(place)
    return place


def test_entities_are_mentions_with_their_labels_and_links(file: Path) -> None:
    notes = corpora.Notes()
    first, second = corpora.read(file, note=notes.add)
    assert (first.id, first.text) == ("1", "Gout hurts.")
    assert [(m.start, m.end, m.type, m.concepts) for m in first.mentions] == [
        (0, 4, "Disease", ("MESH:D006073",)),
        (5, 10, "", ("HP:0000001",)),
    ]
    assert (second.id, second.text, second.mentions) == ("2", "The linnet sings.", ())
    assert notes.lines() == ["1 span in groups, left out"]


def test_it_is_detected_and_may_be_named(file: Path) -> None:
    assert corpora.detect(file) == "docbin"
    assert [d.text for d in corpora.read(file, format="docbin")] == ["Gout hurts.", "The linnet sings."]


def test_it_is_neither_a_terminology_nor_text(file: Path) -> None:
    with pytest.raises(DataError, match=r"is spaCy's DocBin.*A terminology holds ids and names"):
        readers.detect(file)
    with pytest.raises(DataError, match="is spaCy's DocBin"):
        next(corpora.read(file, format="text"))


def test_a_damaged_one_is_refused(file: Path) -> None:
    inside = zlib.decompress(file.read_bytes())
    for damaged in (zlib.compress(inside[: len(inside) // 2]), zlib.compress(inside)[:-9]):
        file.write_bytes(damaged)
        with pytest.raises(DataError, match="cannot be read as a DocBin"):
            list(corpora.read(file))


def test_one_made_to_fill_the_memory_is_refused(file: Path) -> None:
    file.write_bytes(zlib.compress(zlib.decompress(file.read_bytes()) + bytes(1 << 29)))
    with pytest.raises(DataError, match="unpacks to more than 200 times"):
        list(corpora.read(file))


def test_without_spacy_the_extra_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    with pytest.raises(MissingExtraError, match="needs the 'spacy' extra"):
        list(corpora.read(file))
