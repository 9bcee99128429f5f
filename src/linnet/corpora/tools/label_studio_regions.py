"""The results of one Label Studio annotation as regions: results with one id are about the same stretch of text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from linnet.corpora.notes import Note
from linnet.corpora.refusal import Refuse
from linnet.corpora.tools.concept_fields import concepts_in, strings_in
from linnet.corpora.tools.task_records import Line, preview, whole_number
from linnet.errors import DataError

__all__ = ["Region", "regions_of"]

# Tuples, so that unhashable values can be looked up too.
_OTHER_MEDIA = ("hypertextlabels", "paragraphlabels", "timeserieslabels", "videorectangle")
_ANSWERS = ("textarea", "taxonomy", "choices")


class Region(NamedTuple):
    """A stretch of text.

    start, end  as in the export                                text    as in the export, None if not given
    types       one mention each; "" for a region without a label       source  name of the region's text
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
                    f"{where}, result {place}: expected an object, got {preview(result)}.",
                    path=path,
                    line=line,
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
    """The regions of results with one id: one per result with labels, each with the concepts of all."""
    if any(not isinstance(result.get("value"), dict) for result in group):
        raise DataError(
            f"{where}: expected an object in 'value', got {preview(group[0])}.", path=path, line=line
        )
    if any(result.get("type") in _OTHER_MEDIA for result in group):
        note(
            "regions of HTML, dialogues or other media, left out: their offsets do not count characters of a plain text",
            unread=True,
        )
        return []
    placed = [result for result in group if {"start", "end"} & result["value"].keys()]
    if not placed:
        note("answers about whole tasks, left out")
        return []
    labelled = [result for result in placed if "labels" in result["value"]] or placed[:1]
    concepts = _answered(group, note)
    label_lists = [_labels(result["value"].get("labels"), path, line, where) for result in labelled]
    for labels in label_lists:
        concepts += [concept for label in labels for concept in concepts_in(label)]
    regions = []
    for result, labels in zip(labelled, label_lists, strict=True):
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


def _labels(value: Any, path: str | Path, line: Line, where: str) -> list[str]:
    labels = [] if value is None else value
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise DataError(
            f"{where}: expected a list of names in 'labels', got {preview(value)}.", path=path, line=line
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
    concept_lists = [concepts_in(answer) for answer in strings_in(answers)]
    note("answers about a region without a concept id, left out", sum(not ids for ids in concept_lists))
    return [concept for ids in concept_lists for concept in ids]
