"""XML files, read one record at a time; every entity is replaced by its text or refused.

No DTD, external entity or network address is followed. Entities declared in the file's own DOCTYPE are resolved within
limits; any other `&name;` would truncate a text, so its record is refused with file and line. Comments and processing
instructions are dropped.
"""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from html.entities import html5
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet.errors import DataError
from linnet.io.files import head_of, not_utf8, open_bytes

if TYPE_CHECKING:
    from lxml.etree import XMLSyntaxError, _Element

__all__ = ["line_of", "parse", "records", "text_at", "text_of"]

_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,  # resolved here, as lxml would drop unknown ones
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
    "huge_tree": True,
}
# Entities stand for characters or phrases. The limits stop files that would grow a thousandfold in memory.
_MAX_ENTITY, _MAX_NESTING = 1_000, 10
_REFERENCE = re.compile(r"&(#x[0-9a-fA-F]+|#[0-9]+|[^\s&;]+);")
_EVIDENCE = 1 << 24  # bytes of a file among which the invalid one is looked for
_UNDECLARED = re.compile(r"^Entity '(.+)' not defined")
_PREDEFINED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def records(
    path: str | Path,
    tags: Collection[str],
    *,
    header: Collection[str] = (),
    refuse: Callable[[DataError], None] | None = None,
) -> Iterator[_Element]:
    """The elements of these tags, in file order, each emptied after use.

    header  tags of children of the root to yield too
    refuse  called with the error of a record with an unknown entity, which is left out; None: raise it

    Raises DataError, with the line if known, for XML that is malformed or cut off.
    """
    from lxml import etree

    resolver = _Resolver(path)
    with open_bytes(path) as stream:
        events = etree.iterparse(stream, events=("end",), tag=(*tags, *header), **_OPTIONS)
        try:
            for _, element in events:
                parent = element.getparent()
                if element.tag not in tags and (parent is None or parent.getparent() is not None):
                    continue
                try:
                    resolver.resolve(element)
                except DataError as error:
                    if refuse is None:
                        raise
                    refuse(error)
                else:
                    yield element
                if element.tag in tags:
                    element.clear()
                    while parent is not None and element.getprevious() is not None:
                        del parent[0]
        except (etree.XMLSyntaxError, OSError) as error:
            raise _malformed(error, events.error_log, path) from None
        resolver.check_attributes(events.error_log)


def parse(path: str | Path) -> _Element:
    """The root of the whole file. Raises DataError for malformed XML and unknown entities."""
    from lxml import etree

    parser = etree.XMLParser(**_OPTIONS)
    with open_bytes(path) as stream:
        try:
            root = etree.parse(stream, parser).getroot()
        except (etree.XMLSyntaxError, OSError) as error:
            raise _malformed(error, parser.error_log, path) from None
    resolver = _Resolver(path)
    resolver.resolve(root)
    resolver.check_attributes(parser.error_log)
    return root


def text_of(element: _Element | None) -> str:
    """All text in the element and its descendants; "" for None."""
    if element is None:
        return ""
    return "".join(map(str, element.itertext())) if len(element) else element.text or ""


def text_at(element: _Element, place: str) -> str:
    """All text in the first element at `place` (a path for `find`); "" if there is none."""
    return text_of(element.find(place))


def line_of(element: _Element) -> int | None:
    """The line where an element starts, if the parser knows it."""
    line = element.sourceline
    return line if isinstance(line, int) else None


class _Resolver:
    """Replaces entities by their text."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.declared: Mapping[str, str | None] | None = None
        self.seen: set[tuple[str, int | None]] = set()

    def resolve(self, element: _Element) -> None:
        """Replace all entities in the element. Raises DataError for the first without a known text."""
        from lxml import etree

        for node in list(element.iter(etree.Entity)):
            name = str(getattr(node, "name", ""))
            line = line_of(node)
            self.seen.add((name, line))
            if self.declared is None:
                self.declared = _declared(element)
            text = self._text(name, line) + (node.tail or "")
            before, parent = node.getprevious(), node.getparent()
            if parent is None:
                continue
            if before is None:
                parent.text = (parent.text or "") + text
            else:
                before.tail = (before.tail or "") + text
            parent.remove(node)  # takes its tail along

    def check_attributes(self, log: Any) -> None:
        """Raise DataError if an attribute had an undeclared entity, which the parser drops."""
        for entry in log:
            match = _UNDECLARED.match(entry.message)
            if match and (match[1], entry.line) not in self.seen:
                raise _undeclared(match[1], self.path, entry.line)

    def _text(self, name: str, line: int | None, depth: int = 0) -> str:
        content = (self.declared or {}).get(name, "&")
        if content == "&":
            raise _undeclared(name, self.path, line)
        if content is None or "<" in content or depth > _MAX_NESTING:
            what = "text outside the file" if content is None else "markup or itself"
            raise self._refused(f"&{name}; stands for {what}, which is not followed.", line)
        pieces: list[str] = []
        at = 0
        for reference in _REFERENCE.finditer(content):
            pieces += content[at : reference.start()], self._character(reference[1], line, depth)
            at = reference.end()
        text = "".join([*pieces, content[at:]])
        if len(text) > _MAX_ENTITY:
            raise self._refused(
                f"&{name}; stands for {len(text):,} characters; at most {_MAX_ENTITY:,} are read.", line
            )
        return text

    def _character(self, name: str, line: int | None, depth: int) -> str:
        if name.startswith("#"):
            code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
            return chr(code)
        return _PREDEFINED.get(name) or self._text(name, line, depth + 1)

    def _refused(self, what: str, line: int | None) -> DataError:
        return DataError(f"{what} Write its text in its place.", path=self.path, line=line)


def _declared(element: _Element) -> dict[str, str | None]:
    """The entities declared in the file and their content; None for external content."""
    dtd: Any = element.getroottree().docinfo.internalDTD
    return {} if dtd is None else {str(entity.name): entity.content for entity in dtd.iterentities()}


def _undeclared(name: str, path: str | Path, line: int | None) -> DataError:
    character = html5.get(f"{name};")
    known = character is not None and character.isprintable() and character not in "/&\\'"
    advice = (
        f"Write the character: sed 's/&{name};/{character}/g' {shlex.quote(str(path))} > NEW"
        if known
        else f'Write its text, or declare it in the DOCTYPE of the file: <!ENTITY {name} "…">'
    )
    return DataError(
        f"the entity &{name}; is not declared in the file, so its text is unknown. {advice}",
        path=path,
        line=line or None,
    )


def _malformed(error: XMLSyntaxError | OSError, log: Any, path: str | Path) -> Exception:
    """The DataError for XML that cannot be read; an OSError of the file system as it is."""
    if "Invalid bytes in character encoding" in str(error):
        try:
            codecs.getincrementaldecoder("utf-8")().decode(head_of(path, _EVIDENCE))
        except UnicodeDecodeError as invalid:
            return not_utf8(invalid, path)
        return DataError(
            "has bytes that are invalid in the encoding named in its first line. Name another there.",
            path=path,
        )
    if isinstance(error, OSError):
        return error
    for entry in log:
        match = _UNDECLARED.match(entry.message)
        if match and entry.type_name == "ERR_UNDECLARED_ENTITY":
            return _undeclared(match[1], path, entry.line)
    return DataError(
        f"not well-formed XML, or cut off ({error.msg}). Is the file complete? Fetch it again.",
        path=path,
        line=error.lineno or None,
    )
