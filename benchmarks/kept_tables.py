"""Pages of benchmarks: every table is kept beside the page as JSON, and a template chooses what stands between the page's marks.

`experiments/chosen_tables.py` says how a template names tables and parts of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from measuring import write_between

sys.path.append(str(Path(__file__).absolute().parents[1] / "experiments"))
from chosen_tables import Chosen, Joined

__all__ = ["keep", "kept", "shown", "write_shown"]


def write_shown(path: Path, begin: str, end: str, template: str, tables: Mapping[str, str]) -> None:
    """Keep these tables beside the others of the page, and put what the template shows of them between two marks."""
    keep(path, tables)
    write_between(path, begin, end, shown(template, kept(path)))


def shown(template: str, tables: Mapping[str, str]) -> str:
    """A template with its tables."""
    return template.format(join=Joined(tables), **{name: Chosen(text) for name, text in tables.items()})


def keep(path: Path, tables: Mapping[str, str]) -> None:
    """Put tables into the JSON of a page; a text of several lines is a list there."""
    lines = {
        name: text.split("\n") if "\n" in text else text for name, text in ({**kept(path), **tables}).items()
    }
    text = json.dumps(lines, indent=1, ensure_ascii=False) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")


def kept(path: Path) -> dict[str, str]:
    """All tables of a page; none where it has no JSON."""
    file = path.with_suffix(".json")
    lines = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return {name: "\n".join(text) if isinstance(text, list) else text for name, text in lines.items()}
