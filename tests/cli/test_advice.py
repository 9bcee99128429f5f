"""No message advises an option that its command lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import linnet
from linnet.advice import Advice, Step, read_wordings
from linnet.cli import app
from linnet.cli.advice import TABLE, for_command, options_in
from linnet.cli.lazy import load, options_of
from linnet.errors import RequestError

SOURCES = sorted((Path(str(linnet.__file__)).parent / "cli").rglob("*.py"))


def commands(group: click.Group | None = None, name: str = "linnet") -> Iterator[tuple[str, frozenset[str]]]:
    """Each command with all its options."""
    for short, command in (group or get_command(app)).commands.items():
        whole = f"{name} {short}"
        if target := getattr(command, "target", None):
            command = load(short, target)
        if options := options_of(command) - {"--help", "-h"}:
            yield whole, options
        if hasattr(command, "commands"):
            yield from commands(command, whole)


COMMANDS = dict(commands())
ALL = frozenset().union(*COMMANDS.values())


def messages() -> Iterator[tuple[str, str]]:
    """Place and text of each string of the commands that names an option; what is filled in is `X`."""
    for file in SOURCES:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        inside: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                inside |= {id(part) for part in node.values}
                text = "".join(str(v.value) if isinstance(v, ast.Constant) else "X" for v in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
                text = node.value
            else:
                continue
            if " " in text and "--" in text and not text.startswith("\n"):
                yield f"{file.name}:{node.lineno}", text


MESSAGES = list(messages())


def test_there_are_messages_with_options() -> None:
    assert len(MESSAGES) > 20
    assert len(COMMANDS) > 10


def test_options_that_messages_name_exist() -> None:
    """Somewhere: those of other programs are named with them."""
    for place, text in MESSAGES:
        assert options_in(text) <= ALL | {"--help", "--version"}, (place, text)


def test_each_wording_of_advice_fits_a_command() -> None:
    for step, wordings in read_wordings(TABLE).items():
        for wording in wordings:
            assert any(options_in(wording) <= options for options in COMMANDS.values()), (step, wording)


@pytest.mark.parametrize(
    ("advice", "options", "expected"),
    [
        (Step.SKIP_BAD_RECORD(), {"--on-error"}, "No. Correct it, or leave it out with --on-error skip."),
        (Step.SKIP_BAD_RECORD(), set(), "No. Correct it."),
        (Step.NAME_FORMAT(), {"--format", "--input-format"}, "No. To name the format: --input-format NAME"),
        (Step.NAME_FORMAT(), {"--corpus-format"}, "No. To name the format: --corpus-format NAME"),
        (Step.NAME_FORMAT(), set(), "No."),
        (Step.NAME_COLUMN(), set(), "No. Call the right column 'text'."),
        (Step.READ_WITH(prefix="X", columns={"id": ["a b", 2]}), {"--columns", "--prefix"},
         "No. Read it with: --columns 'id=a b' id=2 --prefix X"),
        (Step.READ_WITH(prefix="X"), {"--columns"}, "No."),
        (Step.UPDATE_INDEXES(terminology="medic", retrievers=["exact"]), set(),
         "No. Run: linnet index medic --update (this index alone: linnet index medic --retriever exact)"),
    ],
)  # fmt: skip
def test_advice_is_put_in_the_options_of_the_command(
    advice: Advice, options: set[str], expected: str
) -> None:
    assert for_command(RequestError("No.", advice), options) == expected


def test_a_command_says_nothing_of_options_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.tsv").write_text("id\tname\nX:1\tgout\n")
    (tmp_path / "c.json").write_text('{"annotations": 1}')
    assert CliRunner().invoke(app, ["terminology", "build", "t.tsv", "-o", "t"]).exit_code == 0
    shown = CliRunner().invoke(
        app, ["terminology", "augment", "t", "--corpus", "c.json", "--corpus-format", "texoo", "-o", "u"]
    )
    assert shown.exit_code == 1
    assert "To name the format: --corpus-format NAME" in shown.stderr
