"""The results of one Label Studio annotation as regions: results with one id are about the same stretch of text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from linnet.corpora.reading import FileReading
from linnet.corpora.tools.concept_fields import concepts_in, strings_in
from linnet.corpora.tools.task_records import preview, whole_number

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
    item: str


def regions_of(results: Sequence[Any], reading: FileReading) -> tuple[list[Region], list[Any]]:
    """Regions in the order of their first results, and the relations between them."""
    grouped: dict[Any, list[dict[str, Any]]] = {}
    relations: list[Any] = []
    for place, result in enumerate(results, start=1):
        if not isinstance(result, dict):
            message = f"expected an object, got {preview(result)}."
            reading.refuse(reading.inside(f"result {place}").error(message))
        elif result.get("type") == "relation":
            relations.append(result)
        else:
            id = result.get("id")
            grouped.setdefault(id if isinstance(id, str) else place, []).append(result)
    groups = enumerate(grouped.values(), start=1)
    regions = reading.each(groups, lambda place, group: _regions(group, reading.inside(f"region {place}")))
    return list(chain.from_iterable(regions)), relations


def _regions(group: Sequence[dict[str, Any]], reading: FileReading) -> list[Region]:
    """The regions of results with one id: one per result with labels, each with the concepts of all."""
    if any(not isinstance(result.get("value"), dict) for result in group):
        raise reading.error(f"expected an object in 'value', got {preview(group[0])}.")
    if any(result.get("type") in _OTHER_MEDIA for result in group):
        reading.note(
            "regions of HTML, dialogues or other media, left out: their offsets do not count characters of a plain text",
            unread=True,
        )
        return []
    placed = [result for result in group if {"start", "end"} & result["value"].keys()]
    if not placed:
        reading.note("answers about whole tasks, left out")
        return []
    labelled = [result for result in placed if "labels" in result["value"]] or placed[:1]
    concepts = _answered(group, reading)
    label_lists = [_labels(result["value"].get("labels"), reading) for result in labelled]
    for labels in label_lists:
        concepts += [concept for label in labels for concept in concepts_in(label)]
    regions = []
    for result, labels in zip(labelled, label_lists, strict=True):
        value, source = result["value"], result.get("to_name")
        types = tuple(label for label in labels if not concepts_in(label))
        regions.append(
            Region(
                whole_number(value.get("start"), "start", reading),
                whole_number(value.get("end"), "end", reading),
                value["text"] if isinstance(value.get("text"), str) and value["text"] else None,
                types or ("",),
                tuple(dict.fromkeys(concepts)),
                source if isinstance(source, str) else "",
                reading.item,
            )
        )
    return regions


def _labels(value: Any, reading: FileReading) -> list[str]:
    labels = [] if value is None else value
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise reading.error(f"expected a list of names in 'labels', got {preview(value)}.")
    return labels


def _answered(group: Sequence[dict[str, Any]], reading: FileReading) -> list[str]:
    """The concepts in answers and notes about a region."""
    answers: list[Any] = []
    for result in group:
        if result.get("type") in _ANSWERS:
            answers += [result["value"].get(name) for name in (*_ANSWERS, "text")]
        if isinstance(result.get("meta"), dict):
            answers.append(result["meta"].get("text"))
    concept_lists = [concepts_in(answer) for answer in strings_in(answers)]
    reading.note(
        "answers about a region without a concept id, left out", sum(not ids for ids in concept_lists)
    )
    return [concept for ids in concept_lists for concept in ids]
