"""Mentions among the annotations of a UIMA document, and the meaning of their features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linnet.corpora.ids import parse_concepts
from linnet.corpora.tools.concept_fields import concepts_in, type_and_concepts

__all__ = ["Structure", "is_mention", "layer_of", "mention_fields"]

_NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type."
# Packages whose layers hold linguistic structure, not mentions.
_BUILT_IN = ("uima.", "de.tudarmstadt.ukp.dkpro.", "de.tudarmstadt.ukp.clarin.", "org.apache.", "org.dkpro.")
_CTAKES = "org.apache.ctakes.typesystem.type.textsem."
_STRUCTURE = frozenset({"sofa", "begin", "end", "id"})
_LABELS = ("value", "label", "type", "category", "class")
_RELATION = frozenset({"Governor", "Dependent", "source", "target"})


@dataclass(frozen=True, slots=True)
class Structure:
    """A feature structure. type: full name with dots; features: values as strings, or lists of strings for arrays."""

    id: str
    type: str
    features: Mapping[str, str | list[str]]

    @property
    def layer(self) -> str:
        """The last part of the type's name."""
        return layer_of(self.type)


def layer_of(type: str) -> str:
    """`NamedEntity` of `de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity`."""
    return type.rpartition(".")[2]


def is_mention(structure: Structure) -> bool:
    """Whether the structure is a named entity, an annotation of a custom layer, or a mention of cTAKES."""
    if structure.type.startswith(_CTAKES):
        return structure.layer.endswith("Mention")
    if structure.type.startswith(_NAMED_ENTITY):
        return True
    return not structure.type.startswith(_BUILT_IN) and not _RELATION & structure.features.keys()


def mention_fields(
    structure: Structure, by_id: Mapping[str, Structure]
) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Type, concepts, and the other features.

    The type is the annotator's label (`value`, or a feature of another common name), else the layer's name. Concepts are
    in `identifier`, in features that hold only ids, and in cTAKES' `ontologyConceptArr`.
    """
    features = {name: value for name, value in structure.features.items() if name not in _STRUCTURE and value}
    labels = [name for name in _LABELS if isinstance(features.get(name), str)]
    label = str(features.pop(labels[0])) if labels else ""
    type, ids_of_label = type_and_concepts(label) if label else ("", ())
    concepts = list(ids_of_label)
    for id in _references(features.pop("ontologyConceptArr", ""), by_id):
        concepts += _coded(by_id[id].features)
    for name in ("identifier", *(name for name in features if name != "identifier")):
        for text in _strings(features.get(name, "")):
            ids = parse_concepts(text, type=type)[0] if name == "identifier" else concepts_in(text, type=type)
            concepts += ids
    kept = {name: value for name, value in features.items() if not _is_concept(name, value)}
    return (
        type or ("" if structure.layer == "NamedEntity" else structure.layer),
        tuple(dict.fromkeys(concepts)),
        kept,
    )


def _strings(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _is_concept(name: str, value: str | list[str]) -> bool:
    return name == "identifier" or all(concepts_in(text) for text in _strings(value))


def _references(value: str | list[str], by_id: Mapping[str, Structure]) -> list[str]:
    """The structures that a feature refers to, directly or through an array."""
    ids = value.split() if isinstance(value, str) else value
    references: list[str] = []
    for id in ids:
        if id in by_id:
            elements = by_id[id].features.get("elements")
            inner = elements.split() if isinstance(elements, str) else elements or []
            references += [element for element in inner if element in by_id] if inner else [id]
    return references


def _coded(code: Mapping[str, str | list[str]]) -> tuple[str, ...]:
    """The CUI of a cTAKES concept, else its code."""
    if isinstance(cui := code.get("cui"), str) and cui:
        return parse_concepts(cui)[0]
    scheme, value = code.get("codingScheme"), code.get("code")
    return parse_concepts(f"{scheme}:{value}")[0] if scheme and value else ()
