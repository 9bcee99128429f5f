"""Concepts of other vocabularies in an ontology's file."""

from __future__ import annotations

from collections import Counter

from linnet.terminology.store import Terminology

__all__ = ["imported_concepts"]

# The share of a terminology's concepts from which it is one vocabulary's, and of another's up to which they are imported.
_MAIN, _IMPORTED = 0.8, 0.1
_ONTOLOGIES = {"obo", "obograph"}


def imported_concepts(terminology: Terminology) -> tuple[str, dict[str, int]]:
    """The prefix of a terminology's own vocabulary, and how many concepts it has of each other one, the largest first.

    Ontologies contain concepts of others that their definitions name: the Disease Ontology has anatomy, chemicals and
    species. "" and nothing for other formats, and if no vocabulary has four fifths of the concepts or another one has
    more than a tenth: such a terminology was made of several on purpose.
    """
    if not {source["format"] for source in terminology.manifest["sources"]} <= _ONTOLOGIES:
        return "", {}
    counts = Counter(
        id.partition(":")[0] for id in terminology.ids.take(range(len(terminology))) if ":" in id
    )
    if not counts:
        return "", {}
    [(main, own), *others] = counts.most_common()
    size = len(terminology)
    if not others or own < _MAIN * size or others[0][1] > _IMPORTED * size:
        return "", {}
    return main, dict(others)
