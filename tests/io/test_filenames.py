"""File names that are not UTF-8 in what linnet writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from linnet.advice import Step
from linnet.io.artifact import digest, read_manifest, write_manifest
from linnet.io.filenames import SPELT, writable


def test_bytes_that_are_not_utf_8_are_spelt_and_other_names_stay():
    assert writable(os.fsdecode(b"caf\xe9.txt")) == "caf%E9.txt"
    assert writable("100% café 😀.txt") == "100% café 😀.txt"


@pytest.mark.parametrize("name", [b"\xff", b"a\x80b", "é".encode() + b"\xc3"])
def test_every_name_can_be_written(name: bytes):
    assert writable(os.fsdecode(name)).encode()


def test_manifests_of_artifacts_spell_names_and_keep_their_checksum(tmp_path: Path):
    fields = {"sources": [{"path": os.fsdecode(b"t\xe9.obo")}]}
    write_manifest(tmp_path, "m.json", fields)
    read = read_manifest(tmp_path, "m.json", what="a test", rebuild=Step.MODEL_AGAIN())
    assert read["sources"] == [{"path": "t%E9.obo"}]


def test_names_that_are_not_utf_8_have_a_digest():
    assert digest(os.fsdecode(b"t\xe9")) != digest("t%E9")


def test_streams_spell_names_and_refuse_half_a_character():
    assert os.fsdecode(b"caf\xe9.txt").encode(errors=SPELT) == b"caf%E9.txt"
    with pytest.raises(UnicodeEncodeError):
        "\ud83d".encode(errors=SPELT)
