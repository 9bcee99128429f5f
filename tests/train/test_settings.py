"""Run files: what is read, and what is said of a mistake."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.train.settings import as_toml, read_settings, settings_from


@dataclass(frozen=True)
class Inner:
    margin: float = 1.0
    name: str = 'a "quoted"\nname'


@dataclass(frozen=True)
class Settings:
    output: Path
    seed: int = 1
    minutes: float | None = None
    fast: bool = False
    corpora: tuple[str, ...] = ()
    objective: Inner = field(default_factory=Inner)


def test_reads_what_it_writes(tmp_path: Path) -> None:
    settings = Settings(Path("models/x"), seed=3, minutes=2.5, corpora=("a", "b\\c"), objective=Inner(0.2))
    file = tmp_path / "run.toml"
    file.write_text(as_toml(settings), encoding="utf-8")
    assert read_settings(file, Settings) == settings


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
