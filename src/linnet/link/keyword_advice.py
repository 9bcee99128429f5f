"""Advice of readers and indexes, which names options of the command line, for those who call linnet from Python.

>>> in_python("Name it: --columns id=COLUMN, or --prefix ACME. To read them: --suppressed")
"Name it: columns={'id': 'COLUMN'}, or prefix='ACME'. To read them: suppressed=True"
>>> in_python("Run: linnet index mesh/ --retriever exact,dense")
'Run: linnet index mesh/ --retriever exact,dense'
"""

from __future__ import annotations

import re

__all__ = ["in_python"]

_NAMES = {"types": "concept_types", "sources": "vocabularies", "retriever": "retrievers"}
_LISTS = ("concept_types", "prefixes", "vocabularies", "languages", "retrievers")
_FLAGS = ("standard", "suppressed", "permuted")
# A whole command, which stays; an option with columns; any other with its value.
_OPTION = re.compile(
    r"\b(?:linnet [a-z]|robot convert).*|--columns((?: \w+=[\w{}]+)+)|--([a-z]+(?:-[a-z]+)*)(?: ('[^']*'|[\w,]+\b|,))?"
)


def in_python(message: str) -> str:
    """The message with keyword arguments in place of options."""
    return re.sub(r"(?<=['\]}]) (?=[a-z_]+=['\[{])", ", ", _OPTION.sub(_keyword, message))


def _keyword(match: re.Match[str]) -> str:
    columns, option, value = match.groups()
    if columns:
        pairs = [pair.split("=") for pair in columns.split()]
        roles = {role: [column for name, column in pairs if name == role] for role, _ in pairs}
        return f"columns={ {role: named if named[1:] else named[0] for role, named in roles.items()} }"
    if option is None:
        return match[0]
    name = _NAMES.get(option, option.replace("-", "_"))
    if name in _FLAGS or value is None:
        return f"{name}=True{match[0].removeprefix(f'--{option}')}" if name in _FLAGS else name
    return f"{name}={value.split(',') if name in _LISTS else value.strip(chr(39))!r}"
