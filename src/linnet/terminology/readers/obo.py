"""OBO files, read line by line.

pronto and fastobo refuse two of the six real OBO files tried for one odd line each (a non-breaking space in a definition's
references, a space in a cross reference), and cannot skip it. This reader takes what a terminology needs: names,
hierarchy, cross references, successors of retired terms. Source: The OBO Flat File Format 1.4 specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from linnet.io.files import read_lines
from linnet.plural import counted
from linnet.terminology.readers.annotation_properties import role_of
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.obsolete_terms import concepts_of, is_left_out, tell_left_out
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["read_obo"]

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(.*)')
_LOOSE = re.compile(
    r'"(.*)"\s+((?:\[|\{|EXACT|NARROW|BROAD|RELATED).*)'
)  # to the last quote that may close the text
_TAIL = re.compile(r'\s+(?:!|\{|").*$')  # comment, qualifiers or description after an id
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "W": " "}
_SCOPE = re.compile(r"(EXACT|NARROW|BROAD|RELATED)\b")
_OLD_SYNONYMS = {f"{scope}_synonym": scope for scope in ("exact", "narrow", "broad", "related")}  # OBO 1.0
# Qualifiers after a name: name: heart {xref="PMID:1"}
_QUALIFIERS = re.compile(r"\s*\{\s*[\w.:/#-]+\s*=\s*\"(?:[^\"\\]|\\.)*\"(?:\s*,[^{}]*)?\}\s*(?:!.*)?$")


def read_obo(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Terms in file order, then the retired and alternative ids.

    Types are namespaces. `is_a` gives parents; other relationships are ignored. An obsolete term becomes a retired id of
    its `replaced_by`, else of its `consider`; without either it is left out, unless `suppressed`.
    Synonyms, definitions and successors in annotation properties also count (`annotation_properties`).
    Raises DataError with the line for a stanza without id, a line without `tag: value`, or a repeated id.
    """
    file = SourceFile(path, options)
    seen: set[str] = set()
    left_out = 0
    for number, stanza in _terms(file):
        entry, obsolete, consider, alternatives = _entry(stanza, file)
        if not entry.id:
            file.malformed("[Term] without an id.", number)
            continue
        if entry.id in seen:
            file.malformed(f"{entry.id} occurs twice. Remove one of the stanzas.", number)
            continue
        seen.add(entry.id)
        left_out += is_left_out(entry, obsolete, consider, options)
        yield from concepts_of(entry, obsolete, consider, alternatives, options)
    tell_left_out(left_out, file)


def _terms(file: SourceFile) -> Iterator[tuple[int, list[tuple[int, str, str]]]]:
    """Line number of each `[Term]`, and its lines as (number, tag, value)."""
    start, stanza, in_term = 0, list[tuple[int, str, str]](), False
    individuals = 0
    for number, line in read_lines(file.path):
        text = line.strip()
        if text.startswith("[") and text.endswith("]"):
            if in_term:
                yield start, stanza
            start, stanza, in_term = number, [], text == "[Term]"
            individuals += text == "[Instance]"
        elif in_term and text and not text.startswith("!"):
            tag, colon, value = text.partition(":")
            if not colon:
                file.malformed(f"'{text[:60]}' is not `tag: value`.", number)
            else:
                stanza.append((number, tag.strip(), value.strip()))
    if in_term:
        yield start, stanza
    if individuals:
        file.tell(f"{counted(individuals, 'individuals')} ([Instance]) not read; only terms are concepts.")


def _entry(stanza: list[tuple[int, str, str]], file: SourceFile) -> tuple[Entry, bool, list[str], list[str]]:
    """The entry, whether it is obsolete, the ids to consider instead, and its alternative ids."""
    options = file.options
    entry, obsolete, labels = Entry(""), False, 0
    consider: list[str] = []
    alternatives: list[str] = []
    for number, tag, value in stanza:
        if tag == "id":
            entry.id = _id(value, options)
        elif tag == "name":
            # a name precedes synonyms listed before it; a second name is a further one
            entry.names.insert(labels, clean(_unescape(_QUALIFIERS.sub("", value))))
            labels += 1
        elif tag == "synonym" or tag in _OLD_SYNONYMS:
            match = _quoted(value)
            if match is None:
                file.malformed(f"synonym without quotes: '{value[:60]}'.", number)
                continue
            text, rest = match
            stated = _SCOPE.match(rest)
            scope = _OLD_SYNONYMS.get(tag) or (stated.group(1).lower() if stated else "related")
            if scope in options.scopes:
                entry.names.append(clean(text))
        elif tag == "def":
            match = _quoted(value)
            entry.definition = clean(match[0] if match else _unescape(value))
        elif tag == "is_a":
            entry.parents.append(_id(value, options))
        elif tag in ("xref", "xref_analog"):
            xref = _id(value, options)
            if ":" in xref and not xref.lower().startswith(("http:", "https:", "url:")):
                entry.xrefs.append(xref)
        elif tag == "namespace":
            entry.types.append(value)
        elif tag == "is_obsolete":
            obsolete = value.lower().startswith("true")
        elif tag == "replaced_by":
            entry.replaced_by.append(_id(value, options))
        elif tag in ("consider", "use_term"):
            consider.append(_id(value, options))
        elif tag == "alt_id":
            alternatives.append(_id(value, options))
        elif tag == "property_value":
            _add_property(entry, value, options)
    if entry.names and not any(tag == "name" for _, tag, _ in stanza):
        file.malformed(f"{entry.id} has synonyms but no name.", stanza[0][0])
        entry.names = []
    return entry, obsolete, consider, alternatives


def _add_property(entry: Entry, value: str, options: ReadOptions) -> None:
    property, _, literal = value.partition(" ")
    role = role_of(property)
    match = _quoted(literal.strip())
    text = match[0] if match else literal.strip().partition(" ")[0]
    if role == "name" and match and "exact" in options.scopes:
        entry.names.append(clean(text))
    elif role == "definition":
        entry.definition = entry.definition or clean(text)
    elif role == "successor":
        entry.replaced_by.append(_id(text, options))
    elif role == "xref" and ":" in text:
        entry.xrefs.append(_id(text, options))


def _quoted(value: str) -> tuple[str, str] | None:
    """The quoted text, and the rest. Unescaped quotes inside are tolerated if the rest shows where the text ends."""
    match = _QUOTED.match(value)
    if match and (not match.group(2) or match.group(2)[0] in "[{" or match.group(2)[0].isupper()):
        return _unescape(match.group(1)), match.group(2)
    loose = _LOOSE.match(value)
    if loose:
        return _unescape(loose.group(1)), loose.group(2)
    return (_unescape(match.group(1)), match.group(2)) if match else None


def _id(value: str, options: ReadOptions) -> str:
    return curie(_unescape(_TAIL.sub("", value)), prefix=options.prefix)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m.group(1), m.group(1)), text) if "\\" in text else text
