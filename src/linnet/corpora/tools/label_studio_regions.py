"""The results of one annotation of Label Studio as regions: results of one id are about the same stretch of text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from linnet.corpora.notes import Note
from linnet.corpora.refusal import Refuse
from linnet.corpora.tools.concept_fields import concepts_in, strings_in
from linnet.corpora.tools.task_records import Line, shown, whole_number
from linnet.errors import DataError

__all__ = ["Region", "regions_of"]

_ELSEWHERE = frozenset({"hypertextlabels", "paragraphlabels", "timeserieslabels", "videorectangle"})
_ANSWERS = frozenset({"textarea", "taxonomy", "choices"})


class Region(NamedTuple):
    """A stretch of text.

    start, end  as the export has them     text  what it says stands there, None where it does not say
    types       one mention each; "" for a region without a label       source  name of the text that it lies in
    """

    start: int
    end: int
    text: str | None
    types: tuple[str, ...]
    concepts: tuple[str, ...]
    source: str
    where: str


def regions_of(
    results: Sequence[Any], path: str | Path, line: Line, where: str, refuse: Refuse, note: Note
) -> tuple[list[Region], list[Any]]:
    """Regions in the order of their first results, and the relations between them."""
    grouped: dict[Any, list[dict[str, Any]]] = {}
    relations: list[Any] = []
    for place, result in enumerate(results, start=1):
        if not isinstance(result, dict):
            refuse(
                DataError(
                    f"{where}, result {place}: expected an object, got {shown(result)}.", path=path, line=line
                )
            )
        elif result.get("type") == "relation":
            relations.append(result)
        else:
            id = result.get("id")
            grouped.setdefault(id if isinstance(id, str) else place, []).append(result)
    regions: list[Region] = []
    for place, group in enumerate(grouped.values(), start=1):
        try:
            region = _region(group, path, line, f"{where}, region {place}", note)
        except DataError as error:
            refuse(error)
        else:
            regions += [region] if region else []
    return regions, relations


def _region(
    group: Sequence[dict[str, Any]], path: str | Path, line: Line, where: str, note: Note
) -> Region | None:
    values = [result["value"] for result in group if isinstance(result.get("value"), dict)]
    if len(values) < len(group):
        raise DataError(
            f"{where}: expected an object in 'value', got {shown(group[0])}.", path=path, line=line
        )
    if any(result.get("type") in _ELSEWHERE for result in group):
        note(
            "regions of HTML, dialogues or other media, left out: their offsets do not count characters of a text"
        )
        return None
    spans = [value for value in values if "start" in value or "end" in value]
    if not spans:
        note("answers about whole tasks, left out")
        return None
    start = whole_number(spans[0].get("start"), "start", path, line, where)
    end = whole_number(spans[0].get("end"), "end", path, line, where)
    labels: list[str] = []
    concepts: list[str] = []
    silent = 0
    for result, value in zip(group, values, strict=True):
        for label in value.get("labels") or ():
            found = concepts_in(label) if isinstance(label, str) else ()
            concepts += found
            if not found and str(label) not in labels:
                labels.append(str(label))
        answers = [
            value[name] for name in (*_ANSWERS, "text") if name in value and result.get("type") in _ANSWERS
        ]
        meta = result.get("meta")
        for answer in strings_in([*answers, meta.get("text") if isinstance(meta, dict) else None]):
            found = concepts_in(answer)
            concepts += found
            silent += not found
    note("answers about a region that hold no concept id, left out", silent)
    said = next(
        (value["text"] for value in spans if isinstance(value.get("text"), str) and value["text"]), None
    )
    source = next((result["to_name"] for result in group if isinstance(result.get("to_name"), str)), "")
    return Region(start, end, said, tuple(labels) or ("",), tuple(dict.fromkeys(concepts)), source, where)
