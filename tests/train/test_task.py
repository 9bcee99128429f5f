"""Every registered task keeps the contract, and docs/training.md knows every key of a run file."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from linnet.errors import UnknownNameError
from linnet.train.task import LoopSettings, RunSettings
from linnet.train.tasks import task_class, tasks

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


def keys(kind: Any, section: str = "") -> Iterator[str]:
    """All keys of a settings class, dotted."""
    hints = get_type_hints(kind)
    for field in fields(kind):
        hint = hints[field.name]
        options = get_args(hint) if get_origin(hint) in (Union, UnionType) else [hint]
        yield f"{section}{field.name}"
        for option in options:
            if is_dataclass(option):
                yield from keys(option, f"{section}{field.name}.")


@pytest.mark.torch
@pytest.mark.parametrize("name", tasks)
def test_a_task_keeps_the_contract(name: str) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    kind = task_class(name)
    assert issubclass(kind.Settings, RunSettings)
    assert kind.batch_key in set(keys(kind.Settings))
    for method in ("prepare", "optimiser", "loss", "evaluate", "state", "load_state", "save"):
        assert callable(getattr(kind, method))


@pytest.mark.torch
@pytest.mark.parametrize("name", tasks)
def test_a_tasks_keys_are_documented(name: str) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    known = set(re.findall(r"`\[?([\w.]+)\]?`", PAGE))
    assert f"`{name}`" in PAGE
    assert [key for key in keys(task_class(name).Settings) if not {key, key.split(".")[-1]} & known] == []


def test_keys_that_all_run_files_have_are_documented_with_their_defaults() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", PAGE, re.MULTILINE))
    assert [key for key in keys(RunSettings) if key.split(".")[-1] not in rows and key != "loop"] == []
    for field in fields(LoopSettings):
        if field.default is not None:
            assert rows[field.name].strip("`") == str(field.default)


@pytest.mark.torch
def test_objectives_presets_and_options_are_documented() -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    from linnet.train.objectives import objectives
    from linnet.train.objectives.build import presets

    for kind, cls in objectives.items():
        [row] = [
            line for line in PAGE.splitlines() if line.startswith("|") and f"`{kind}`" in line.split("|")[1]
        ]
        for option, parameter in inspect.signature(cls).parameters.items():
            if option != "mining":
                assert f"`{option}`" in row, kind
                if isinstance(parameter.default, float):
                    assert f"`{option}` {parameter.default:g}" in row, kind
    assert [preset for preset in presets if f"`{preset}`" not in PAGE] == []


def test_an_unknown_task_is_answered_with_the_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tasks, "synonyms", "nowhere:Nothing")
    with pytest.raises(UnknownNameError, match=r"Unknown task 'synonims'. Did you mean 'synonyms'\?"):
        task_class("synonims")
