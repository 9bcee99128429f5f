"""Choice of the field that holds a task's text: Label Studio's export lacks the labelling configuration that names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linnet.corpora.reading import FileReading
from linnet.corpora.tools.label_studio_regions import Region
from linnet.corpora.tools.offsets import in_code_points
from linnet.errors import DataError

__all__ = ["TextChoice"]


class TextChoice:
    """Remembers the text field of the previous tasks."""

    def __init__(self) -> None:
        self._name = ""

    def choose(
        self, data: Mapping[str, Any], regions: Sequence[Region], reading: FileReading
    ) -> tuple[str, str]:
        """Name and content of the field that holds the text.

        Among several, the field whose text fits all regions; then the previous choice; then `text`, or the field that the
        regions name. Raises DataError with the fields if several or none remain.
        """
        texts = {name: value for name, value in data.items() if isinstance(value, str)}
        sources = {region.source for region in regions}
        if len(sources) > 1:
            raise reading.error(
                f"its regions are in several texts ({', '.join(sorted(sources))}). Annotate one text per task."
            )
        if not texts:
            fields = ", ".join(map(repr, data)) or "none"
            raise reading.error(f"no text in its data; the fields are {fields}.")
        fitting = [name for name, text in texts.items() if _fits(text, regions)] or list(texts)
        for name in (self._name, "text", *sources):
            if len(fitting) > 1 and name in fitting:
                fitting = [name]
        if len(fitting) > 1:
            raise reading.error(
                f"several fields may be its text: {', '.join(map(repr, fitting))}. "
                "Name the field 'text' in the file's data."
            )
        self._name = fitting[0]
        return fitting[0], texts[fitting[0]]


def _fits(text: str, regions: Sequence[Region]) -> bool:
    try:
        places = in_code_points(
            text, [(region.start, region.end, region.text) for region in regions], "either"
        )
    except DataError:
        return True  # in either unit
    return all(
        0 <= start < end <= len(text)
        and (region.text is None or text[start:end].split() == region.text.split())
        for (start, end), region in zip(places, regions, strict=True)
    )
