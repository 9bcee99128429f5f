"""Run files: what is read, and what is said of a mistake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from linnet.errors import DataError
from linnet.io.settings_files import as_table, read_settings, settings_from, variables_of
from linnet.io.toml import to_toml


@dataclass(frozen=True)
class Inner:
    margin: float = 1.0
    name: str = 'a "quoted"\nname'

    def __post_init__(self) -> None:
        if self.margin < 0:
            raise ValueError(f"'margin' is {self.margin}; expected 0 or more.")


@dataclass(frozen=True)
class Settings:
    output: Path
    seed: int = 1
    minutes: float | None = None
    fast: bool = False
    corpora: tuple[str, ...] = ()
    objective: Inner = field(default_factory=Inner)
    sections: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    method: Literal["fast", "slow"] = "fast"


def test_reads_what_it_writes(tmp_path: Path) -> None:
    settings = Settings(
        tmp_path / "models" / "x",
        seed=3,
        minutes=2.5,
        corpora=("a", "b\\c"),
        objective=Inner(0.2),
        sections={"a b": {"k": [1, {"x": 2.0}]}, "empty": {}},
        files=(tmp_path / "one", tmp_path / "two"),
        method="slow",
    )
    file = tmp_path / "run.toml"
    file.write_text(to_toml(as_table(settings)), encoding="utf-8")
    assert read_settings(file, Settings) == settings


def test_paths_are_relative_to_the_run_file_and_take_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINNET_THERE", str(tmp_path / "there"))
    file = tmp_path / "runs" / "run.toml"
    file.parent.mkdir()
    file.write_text('output = "../x"\nfiles = ["${LINNET_THERE}/a", "b"]\n', encoding="utf-8")
    settings = read_settings(file, Settings)
    assert settings.output == tmp_path / "x"
    assert settings.files == (tmp_path / "there" / "a", tmp_path / "runs" / "b")
    table = as_table(settings, beside=tmp_path / "x.run", variables=variables_of(file))
    assert (table["output"], table["files"]) == ("../x", ["${LINNET_THERE}/a", "../runs/b"])


def test_a_variable_that_is_not_set_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LINNET_THERE", raising=False)
    with pytest.raises(DataError, match=r"LINNET_THERE is not set\. Run: export LINNET_THERE=DIRECTORY"):
        settings_from({"output": "${LINNET_THERE}/x"}, Settings)


def test_choices_items_and_what_the_class_refuses_are_named() -> None:
    with pytest.raises(DataError) as caught:
        settings_from(
            {"output": "x", "method": "fsat", "corpora": ["a", 1], "objective": {"margin": -1}}, Settings
        )
    assert "'method' is 'fsat'; expected one of 'fast', 'slow'." in str(caught.value)
    assert "'corpora[1]' is 1; expected a string." in str(caught.value)
    assert "in [objective]: 'margin' is -1.0; expected 0 or more." in str(caught.value)


def test_whole_numbers_serve_as_numbers_but_not_the_other_way_round() -> None:
    assert settings_from({"output": "x", "minutes": 2}, Settings).minutes == 2.0
    with pytest.raises(DataError, match=r"'seed' is 1\.5; expected a whole number"):
        settings_from({"output": "x", "seed": 1.5}, Settings)
    with pytest.raises(DataError, match="'seed' is True; expected a whole number"):
        settings_from({"output": "x", "seed": True}, Settings)


def test_a_misspelt_key_is_answered_with_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('output = "x"\nsed = 3\n[objective]\nmargn = 2\n', encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_settings(file, Settings)
    assert "'sed' is not a key; did you mean 'seed'?" in str(caught.value)
    assert "'objective.margn' is not a key; did you mean 'objective.margin'?" in str(caught.value)
    assert str(file) in str(caught.value)


def test_missing_keys_and_wrong_tables_are_named() -> None:
    with pytest.raises(DataError, match="'output' is missing; expected a path"):
        settings_from({}, Settings)
    with pytest.raises(DataError, match="'objective' is 'x'; expected a table with margin, name"):
        settings_from({"output": "x", "objective": "x"}, Settings)


def test_broken_toml_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("output = ", encoding="utf-8")
    with pytest.raises(DataError, match="not valid TOML"):
        read_settings(file, Settings)


@dataclass(frozen=True)
class Apple:
    kind: str = "apple"
    seeds: int = 5


@dataclass(frozen=True)
class Pear:
    kind: str = "pear"
    long: bool = True


@dataclass(frozen=True)
class Bowl:
    fruit: Apple | Pear


def test_the_kind_says_which_settings_a_table_holds() -> None:
    assert settings_from({"fruit": {"kind": "pear", "long": False}}, Bowl) == Bowl(Pear(long=False))
    assert settings_from(as_table(Bowl(Apple(seeds=3))), Bowl) == Bowl(Apple(seeds=3))
    for table, message in (
        ({"fruit": {"kind": "peer"}}, "'fruit.kind' is 'peer'; expected one of 'apple', 'pear'"),
        ({"fruit": {"seeds": 3}}, "'fruit.kind' is missing; expected one of 'apple', 'pear'"),
        ({"fruit": {"kind": "pear", "seeds": 3}}, "'fruit.seeds' is not a key"),
        ({"fruit": 3}, "'fruit' is 3; expected a table"),
        ({}, "'fruit' is missing; expected a table whose kind is one of 'apple', 'pear'"),
    ):
        with pytest.raises(DataError, match=message):
            settings_from(table, Bowl)
