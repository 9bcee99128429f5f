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

# Tuples, in which any value may be looked up, an unhashable one too.
_ELSEWHERE = ("hypertextlabels", "paragraphlabels", "timeserieslabels", "videorectangle")
_ANSWERS = ("textarea", "taxonomy", "choices")


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
            regions += _regions(group, path, line, f"{where}, region {place}", note)
        except DataError as error:
            refuse(error)
    return regions, relations


def _regions(
    group: Sequence[dict[str, Any]], path: str | Path, line: Line, where: str, note: Note
) -> list[Region]:
    """The regions that results of one id make: one for each result with labels, with the concepts of all."""
    if any(not isinstance(result.get("value"), dict) for result in group):
        raise DataError(
            f"{where}: expected an object in 'value', got {shown(group[0])}.", path=path, line=line
        )
    if any(result.get("type") in _ELSEWHERE for result in group):
        note(
            "regions of HTML, dialogues or other media, left out: their offsets do not count characters of a text",
            unread=True,
        )
        return []
    placed = [result for result in group if {"start", "end"} & result["value"].keys()]
    if not placed:
        note("answers about whole tasks, left out")
        return []
    labelled = [result for result in placed if "labels" in result["value"]] or placed[:1]
    concepts = _answered(group, note)
    given = [_labels(result["value"].get("labels"), path, line, where) for result in labelled]
    for labels in given:
        concepts += [concept for label in labels for concept in concepts_in(label)]
    regions = []
    for result, labels in zip(labelled, given, strict=True):
        value, source = result["value"], result.get("to_name")
        types = tuple(label for label in labels if not concepts_in(label))
        regions.append(
            Region(
                whole_number(value.get("start"), "start", path, line, where),
                whole_number(value.get("end"), "end", path, line, where),
                value["text"] if isinstance(value.get("text"), str) and value["text"] else None,
                types or ("",),
                tuple(dict.fromkeys(concepts)),
                source if isinstance(source, str) else "",
                where,
            )
        )
    return regions


def _labels(given: Any, path: str | Path, line: Line, where: str) -> list[str]:
    labels = [] if given is None else given
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise DataError(
            f"{where}: expected a list of names in 'labels', got {shown(given)}.", path=path, line=line
        )
    return labels


def _answered(group: Sequence[dict[str, Any]], note: Note) -> list[str]:
    """The concepts in answers and notes about a region."""
    answers: list[Any] = []
    for result in group:
        if result.get("type") in _ANSWERS:
            answers += [result["value"].get(name) for name in (*_ANSWERS, "text")]
        if isinstance(result.get("meta"), dict):
            answers.append(result["meta"].get("text"))
    found = [concepts_in(answer) for answer in strings_in(answers)]
    note("answers about a region that hold no concept id, left out", sum(not concepts for concepts in found))
    return [concept for concepts in found for concept in concepts]
