"""Text that was decoded twice is read as it was written; other text stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from linnet import load
from linnet.cli import app
from linnet.words.mojibake import note, repaired

WRITTEN = [
    "Sjögren’s syndrome",
    "Ménière – α/β",
    "naïve “T” cells",
    "5 µg ± 2 °C",
    "Ålesund ≥ 3",
    "\ufeffgout",
]


def _as_windows_1252(raw: bytes) -> str:
    """Undefined bytes as browsers decode them."""
    return "".join(
        chr(byte) if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else bytes([byte]).decode("cp1252")
        for byte in raw
    )


@pytest.mark.parametrize("decode", [_as_windows_1252, lambda raw: raw.decode("latin-1")])
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("text", WRITTEN)
def test_text_decoded_twice_is_repaired(text: str, times: int, decode: Callable[[bytes], str]) -> None:
    damaged = text
    for _ in range(times):
        damaged = decode(damaged.encode())
    assert damaged != text
    assert repaired(damaged) == text


@pytest.mark.parametrize(
    "text",
    [*WRITTEN, "SÃO PAULO", "naïve", "“ÎLE”", "château – café™", "10 Å–20 Å", "ÂNGELO", "GRÃO", "â", "Ãx", "ï»", "Ménière’s"],
)  # fmt: skip
def test_other_text_stays(text: str) -> None:
    assert repaired(text) == text
    assert note(text) == ""


@given(st.text(st.characters(max_codepoint=0x24F)))
def test_what_is_repaired_needs_no_repair(text: str) -> None:
    assert repaired(repaired(text)) == repaired(text)


def test_links_are_those_of_the_text_as_written_and_say_so() -> None:
    written, damaged, twice = load("starter").link(["Sjögren", "SjÃ¶gren", "SjÃƒÂ¶gren"])
    assert written.concepts == damaged.concepts == twice.concepts != ()
    assert written.probability == damaged.probability
    assert damaged.mention.text == "SjÃ¶gren"
    assert damaged.candidates[0].origin == f"{written.candidates[0].origin}+repaired"
    assert "repaired" not in written.candidates[0].origin


@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]])
def test_the_command_line_counts_such_texts_with_an_example(tmp_path: Path, jobs: list[str]) -> None:
    source = tmp_path / "texts.jsonl"
    texts = ["He had SjÃ¶gren syndrome.", "gout", "MÃ©niÃ¨re disease"]
    source.write_text(
        "".join(json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(texts))
    )
    result = CliRunner().invoke(
        app, ["link", str(source), "-t", "starter", "-o", str(tmp_path / "out.jsonl"), *jobs]
    )
    assert result.exit_code == 0, result.output
    told = "Input: 2 texts hold UTF-8 that was decoded as Windows-1252; linnet read what was meant"
    assert told + (". " if jobs else ", e.g. 'SjÃ¶gren' as 'Sjögren'. ") in " ".join(result.stderr.split())
