"""Help in panels: every option of the commands that link is in one, and the text fits the terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from linnet.cli import COMMANDS, app
from linnet.cli.lazy import load

ORDER = ["Arguments", "Input", "Terminology", "Linking", "Output", "Limits", "Running", "Options"]
LINKING = ["link", "evaluate", "serve", "mcp", "index"]


def shown(command: str) -> list[str]:
    done = CliRunner().invoke(app, [command, "--help"])
    assert done.exit_code == 0
    return done.stdout.splitlines()


def panels(command: str) -> dict[str, str]:
    """Title → text."""
    found: dict[str, str] = {}
    title = ""
    for line in shown(command):
        if line.endswith(":") and not line.startswith(" "):
            title = line.removesuffix(":")
            found[title] = ""
        elif title:
            found[title] += line + "\n"
    return found


@pytest.mark.parametrize("command", LINKING)
def test_every_option_but_help_is_in_a_panel_and_panels_come_in_one_order(command: str) -> None:
    titles = list(panels(command))
    assert titles == [title for title in ORDER if title in titles]
    assert panels(command)["Options"].split() == ["-h,", "--help", "Show", "this", "message", "and", "exit."]
    parameters = load(command, COMMANDS[command][0]).params
    text = "\n".join(panels(command).values())
    for parameter in parameters:
        assert parameter.param_type_name == "argument" or parameter.opts[-1] in text


@pytest.mark.parametrize("command", ["link", "serve"])
def test_the_panels_hold_what_they_say(command: str) -> None:
    text = panels(command)
    assert "--terminology" in text["Terminology"]
    assert "--concept-types" in text["Terminology"]
    assert "--pipeline NAME|FILE.toml" in text["Linking"]
    assert "--min-probability" in text["Linking"]
    assert "--threads" in text["Running"]
    assert ("--max-body" in text["Limits"]) if command == "serve" else ("--output" in text["Output"])


@pytest.mark.parametrize(("width", "narrowest", "widest"), [(80, 60, 80), (120, 90, 110)])
def test_the_help_fits_the_terminal(width: int, narrowest: int, widest: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "linnet", "link", "--help"],
        env={**os.environ, "COLUMNS": str(width)},
        capture_output=True,
        text=True,
        check=True,
    )
    longest = max(len(line) for line in done.stdout.splitlines() if not line.startswith("    linnet "))
    assert narrowest <= longest <= widest


def test_groups_show_their_commands_after_the_options() -> None:
    text = panels("annotate")
    assert list(text)[-2:] == ["Options", "Commands"]
    assert "simulate" in text["Commands"]
