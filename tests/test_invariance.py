"""What says nothing of a name changes no answer, whichever way a string comes in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli import app
from linnet.integrations.frames import link_frame

# Names of the starter terminology, and strings that are nearly names, two things, or nothing.
TEXTS = (
    "heart attack", "type II diabetis", "breast and ovarian cancer", "severe recurrent gout", "asthmatic", "blorp zing", "T2DM",
    "acute hepatitis-like illness", "no fever", "gout; stable",
)  # fmt: skip
CHANGES: dict[str, Callable[[str], str]] = {
    "blank before": lambda text: f" {text}",
    "blank behind": lambda text: f"{text} ",
    "no-break space": lambda text: f"{text}\u00a0".replace(" ", "\u00a0"),
    "double blank": lambda text: text.replace(" ", "  "),
    "quotes": lambda text: f"'{text}'",
    "curly quotes": lambda text: f"“{text}”",
    "brackets": lambda text: f"[{text}]",
    "number": lambda text: f"1. {text}",
    "full stop": lambda text: f"{text}.",
    "no width": lambda text: f"\ufeff{text[:2]}\u200b{text[2:]}",
    "no-break hyphen": lambda text: text.replace("-", "‑"),
}
Answer = tuple[list[str], float | None]
Way = Callable[[Sequence[str], Path], list[Answer]]


@pytest.fixture(scope="module")
def linker() -> linnet.Linker:
    return linnet.load("starter")


def _run(*arguments: str) -> list[Answer]:
    done = CliRunner().invoke(app, ["link", *arguments, "-t", "starter"])
    assert done.exit_code == 0, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    records = [mention for record in records for mention in record.get("mentions", [record])]
    return [(record["concepts"], record["probability"]) for record in records]


def _list(texts: Sequence[str], place: Path) -> list[Answer]:
    file = place / "names.txt"
    file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return _run(str(file), "--mentions", "--input-format", "text")


def _table(texts: Sequence[str], place: Path) -> list[Answer]:
    file = place / "names.csv"
    pd.DataFrame({"name of it": texts}).to_csv(file, index=False)
    return _run(str(file), "--column", "name of it")


def _json_lines(texts: Sequence[str], place: Path) -> list[Answer]:
    file = place / "names.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return _run(str(file), "--input-format", "mentions")


def _frame(texts: Sequence[str], place: Path) -> list[Answer]:
    linked = link_frame(pd.DataFrame({"text": texts}), "text", linnet.load("starter"))
    return [
        (list(concepts), None if pd.isna(probability) else float(probability))
        for concepts, probability in zip(linked["linked_concepts"], linked["linked_probability"], strict=True)
    ]


@pytest.mark.parametrize("change", CHANGES)
def test_python(linker: linnet.Linker, change: str) -> None:
    changed = [CHANGES[change](text) for text in TEXTS]
    links = linker.link(changed)
    assert [link.mention.text for link in links] == changed, "what was given is what comes back"
    assert [(link.concepts, link.probability) for link in links] == [
        (link.concepts, link.probability) for link in linker.link(TEXTS)
    ]


@pytest.mark.parametrize("way", [_list, _table, _json_lines, _frame])
def test_other_ways(linker: linnet.Linker, way: Way, tmp_path: Path) -> None:
    expected = [(list(link.concepts), link.probability) for link in linker.link(TEXTS)]
    for name, change in CHANGES.items():
        assert way([change(text) for text in TEXTS], tmp_path) == expected, name


def test_a_service(linker: linnet.Linker, tmp_path: Path) -> None:
    testclient = pytest.importorskip("fastapi.testclient", reason="needs the serve extra")
    from linnet.link.linker_config import LinkerConfig
    from linnet.serve.app import create_app
    from linnet.serve.settings import Settings

    _, application = create_app(Settings(opening=LinkerConfig(terminologies=("starter",)), threads=1))
    expected = [list(link.concepts) for link in linker.link(TEXTS)]
    with testclient.TestClient(application, base_url="http://127.0.0.1") as client:
        for name, change in CHANGES.items():
            mentions = [{"text": change(text)} for text in TEXTS]
            links: list[dict[str, Any]] = client.post("/v1/link", json={"mentions": mentions}).json()["links"]
            assert [link["concepts"] for link in links] == expected, name


@pytest.mark.parametrize("text", ["gout\nblorp zing", "gout; blorp zing; asthma"])
def test_what_is_left_out_of_a_cell_is_told(linker: linnet.Linker, text: str) -> None:
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


def test_text_decoded_twice_is_read_as_meant_and_marked(linker: linnet.Linker, tmp_path: Path) -> None:
    [link] = linker.link(["MÃ©niÃ¨re disease"])
    assert link.name == "Meniere Disease"
    assert "spelling" in link.candidates[0].origin
    assert link.mention.text == "MÃ©niÃ¨re disease"
    file = tmp_path / "names.txt"
    file.write_text("gout\nMÃ©niÃ¨re disease\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["link", str(file), "--mentions", "-t", "starter"])
    assert "1 text decoded twice, read as they were meant, e.g. 'MÃ©niÃ¨re' as 'Ménière'" in done.stderr
    document = linker.annotate("She had MÃ©niÃ¨re disease.")
    assert [mention.text for mention in document.mentions] == ["MÃ©niÃ¨re disease"]
