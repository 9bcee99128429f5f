"""jq commands for messages, which convert a JSON file that linnet does not read as it is.

They are quoted for the shell, whatever the names of fields and files.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linnet.advice import Advice, Step

__all__ = ["as_lines", "text_from"]

_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
# Fields that hold texts, even if empty or cut off.
_TEXTS = frozenset({
    "abstract", "article", "body", "content", "contents", "context", "document", "note", "paragraph", "passage",
    "report", "sentence",
})  # fmt: skip


def as_lines(path: str | Path, *, array: bool) -> Advice:
    """The command that writes one record per line."""
    return Step.WRITE_LINES(command=_command(".[]" if array else ".", path))


def text_from(
    record: Mapping[str, Any], path: str | Path, *, name: str = "text", array: bool = False
) -> list[Advice]:
    """The command that renames the field that may hold the text to `name`; none if there is no such field.

    A text has a space, or its field has a usual name; the longest is taken. Words in a list are joined.
    """
    each = ".[] | " if array else ""
    texts = {
        key: value
        for key, value in record.items()
        if isinstance(value, str) and (" " in value.strip() or key.casefold() in _TEXTS)
    }
    if texts:
        key = max(texts, key=lambda key: len(texts[key]))
        program = f"{each}{_field(name)} = {_field(key)}"
        return [Step.RENAME_FIELD(field=key, command=_command(program, path))]
    words = (key for key, value in record.items() if isinstance(value, list) and value and _strings(value))
    if key := next(words, ""):
        program = f'{each}{_field(name)} = ({_field(key)} | join(" "))'
        return [Step.JOIN_WORDS(field=key, command=_command(program, path))]
    return []


def _strings(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _field(name: str) -> str:
    return f".{name}" if _PLAIN.fullmatch(name) else f".{json.dumps(name, ensure_ascii=False)}"


def _command(program: str, path: str | Path) -> str:
    file = "FILE" if str(path) == "-" else shlex.quote(str(path))
    quoted = program if program == "." else "'" + program.replace("'", "'\\''") + "'"
    return f"jq -c {quoted} {file} > NEW.jsonl"
