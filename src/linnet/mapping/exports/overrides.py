"""What was decided as a file of overrides: `linnet link --overrides FILE` then links these strings so, in other tables too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linnet.io.control_characters import spaced
from linnet.io.files import open_output
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Row
from linnet.plural import counted
from linnet.words.text import simplify

__all__ = ["write_overrides"]


def write_overrides(
    mapping: Folder, rows: Iterable[Row], path: str | Path, metadata: dict[str, Any]
) -> list[str]:
    """A line for each approved string. Strings that compare as equal and were decided differently, in other contexts, are left out,
    and told."""
    decided: dict[str, dict[tuple[str, ...], str]] = {}
    for row in rows:
        concepts = tuple(target.concept for target in row.targets)
        decided.setdefault(simplify(row.text), {}).setdefault(concepts, spaced(row.text))
    several = [next(iter(names.values())) for names in decided.values() if len(names) > 1]
    with open_output(path) as stream:
        stream.write("name\tconcept\taction\n")
        for names in decided.values():
            if len(names) == 1:
                [(concepts, name)] = names.items()
                stream.write(f"{name}\t{'|'.join(concepts) or '*'}\t{'force' if concepts else 'forbid'}\n")
    if not several:
        return []
    return [
        f"Left out: {counted(len(several), 'strings')} decided differently in other contexts, such as '{several[0]}'."
    ]
