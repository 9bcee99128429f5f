"""Check that a table of mappings concerns the given terminologies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linnet.errors import RequestError
from linnet.terminology.overlap import examples
from linnet.terminology.sssom import MappingSet
from linnet.terminology.store import Terminology

__all__ = ["check_mapped"]


def check_mapped(table: MappingSet, terminologies: Sequence[Terminology], *, path: Path) -> None:
    """Raise RequestError if a table has no mapping, or none with an id of a terminology: it would join nothing."""
    if not table.mappings:
        raise RequestError(
            f"{path} has no exact mapping ({table.skipped:,} others), so it joins nothing. "
            "Expected rows with skos:exactMatch. Leave the table out, or give another."
        )
    pairs = [(mapping.subject, mapping.object) for mapping in table.mappings]
    if any(terminology.resolve(id) for pair in pairs for id in pair for terminology in terminologies):
        return
    mapped = examples([" = ".join(pair) for pair in pairs])
    present = [id for terminology in terminologies for id in examples(terminology.ids)]
    raise RequestError(
        f"None of the {len(pairs):,} mappings of {path} has a concept of "
        f"{' or '.join(str(terminology.path) for terminology in terminologies)}: it maps {', '.join(mapped)}; the terminology has "
        f"{', '.join(present)}. Give mappings of these vocabularies."
    )
