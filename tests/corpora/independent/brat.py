"""BRAT: the rows of one `.ann` by regular expressions over the whole file; the text is given."""

from __future__ import annotations

import re

from tests.corpora.mutations import Found, Unreadable, single_spaced

_SPAN = re.compile(r"^(T[^\t\n]*)\t([^ \t\n]+) (\d+ \d+(?:;\d+ \d+)*) *(?:\t([^\t\n]*))?$", re.MULTILINE)
_ABOUT = re.compile(r"^N[^\t\n]*\t\S+ (?:Annotation:)?(T\S*) (?:Referent:)?\S", re.MULTILINE)
_NOTE = re.compile(r"^#[^\t\n]*\tAnnotatorNotes (T\S*)\t((?:C\d{7}|[DCQ]\d{6,9}|[ |,;])+)$", re.MULTILINE)


def parse(raw: bytes, text: str, id: str) -> list[Found]:
    rows = re.sub("\r+\n", "\n", raw.decode("utf-8"))
    with_concept = {match[1] for match in [*_ABOUT.finditer(rows), *_NOTE.finditer(rows)]}
    given = re.findall(r"^T", rows, re.MULTILINE)
    spans = []
    for match in _SPAN.finditer(rows):
        places = [tuple(map(int, piece.split())) for piece in match[3].split(";")]
        surface = " ".join(text[low:high] for low, high in places)
        if match[4] is not None and surface.split() != match[4].split():
            raise Unreadable(f"{surface!r} is not {match[4]!r}")
        start, end = min(low for low, _ in places), max(high for _, high in places)
        cui = re.fullmatch(r"(?:UMLS[:_])?C\d{7}", match[2]) is not None
        spans.append((start, end, single_spaced(text[start:end]), cui or match[1] in with_concept))
    if len(spans) != len(given):
        raise Unreadable("a row of a span has another shape")
    return [Found(id, tuple(sorted(spans)))]
