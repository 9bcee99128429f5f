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
from linnet.advice import read_wordings
from linnet.cli import app
from linnet.cli.advice import TABLE, advised, options_in
from linnet.cli.lazy import load, options_of

SOURCES = sorted(Path(str(linnet.__file__)).parent.rglob("*.py"))


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
    """Place and text of each string in the sources that names an option; what is filled in is `X`."""
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
    assert len(MESSAGES) > 50
    assert len(COMMANDS) > 10


@pytest.mark.parametrize("command", COMMANDS)
def test_under_a_command_no_message_advises_an_option_that_it_lacks(command: str) -> None:
    for place, text in MESSAGES:
        left = options_in(advised(text, COMMANDS[command])) - COMMANDS[command]
        assert not left, (place, text)


def test_options_that_messages_name_exist() -> None:
    """Somewhere: those of other programs are named with them."""
    for place, text in MESSAGES:
        assert options_in(text) <= ALL | {"--help", "--version"}, (place, text)


def test_each_wording_of_advice_fits_a_command() -> None:
    for step, wordings in read_wordings(TABLE).items():
        for wording in wordings:
            assert any(options_in(wording) <= options for options in COMMANDS.values()), (step, wording)


@pytest.mark.parametrize(
    ("message", "options", "expected"),
    [
        ("Bad row. Correct the row, or leave it out with --on-error skip.", set(), "Bad row. Correct the row."),
        ("Is it BioC? Name another --input-format.", {"--corpus-format"}, "Is it BioC? Name another --corpus-format."),
        ("Is it BioC? Name another --input-format.", set(), "Is it BioC?"),
        ("Which column? Name it: --column NAME", set(), "Which column? Call it 'text'."),
        ("Which column? Name it: --column NAME", {"--column"}, "Which column? Name it: --column NAME"),
        ("Missing. Run: linnet index medic/ --update", set(), "Missing. Run: linnet index medic/ --update"),
    ],
)  # fmt: skip
def test_advice_is_put_in_the_options_of_the_command(message: str, options: set[str], expected: str) -> None:
    assert advised(message, options) == expected


def test_a_command_says_nothing_of_options_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.tsv").write_text("id\tname\nX:1\tgout\n")
    (tmp_path / "c.json").write_text('{"annotations": 1}')
    assert CliRunner().invoke(app, ["terminology", "build", "t.tsv", "-o", "t"]).exit_code == 0
    shown = CliRunner().invoke(
        app, ["terminology", "augment", "t", "--corpus", "c.json", "--corpus-format", "texoo", "-o", "u"]
    )
    assert shown.exit_code == 1
    assert "Name another --corpus-format." in shown.stderr
