"""Concept ids as written in corpora, and as CURIEs (see `linnet.words.curies`).

>>> as_curie("D003920"), as_curie("C0011849"), as_curie("104300", type="Disease"), as_curie("672", type="Gene")
('MESH:D003920', 'UMLS:C0011849', 'OMIM:104300', 'NCBIGENE:672')
>>> parse_concepts("D001943|D010051")
(('MESH:D001943', 'MESH:D010051'), False)
>>> parse_concepts("D004829+D003294")
(('MESH:D004829', 'MESH:D003294'), True)
>>> parse_concepts("50509,12831(Tax:10090)", type="Gene")
(('NCBIGENE:50509', 'NCBIGENE:12831'), False)
>>> parse_concepts("c|SUB|T|920|G;Gene:23417", type="DNAMutation")
(('c|SUB|T|920|G;Gene:23417',), False)
>>> parse_concepts("-1")
((), False)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from linnet.words.curies import bare, curie, curie_of_shape, is_known
from linnet.words.no_concept import is_none

__all__ = ["KEPT", "as_curie", "format_concepts", "is_none", "opaque", "parse_concepts"]

KEPT = "concept ids of no known vocabulary, kept as they are written"
"""The note about ids from `opaque`."""
# Bare numbers: NCBI's annotation tools use Entrez Gene and NCBI Taxonomy ids; the disease corpora use OMIM's, also for the
# mention classes of the NCBI disease corpus. Types are compared by their letters.
_NUMBERED = {
    "NCBIGENE": (
        "gene", "genes", "protein", "proteins", "geneprotein", "geneorprotein", "geneorgeneproduct", "familyname",
        "domainmotif", "geneproteinfamily",
    ),
    "NCBITAXON": ("species", "organism", "organismtaxon", "strain", "genus", "taxon"),
    "OMIM": (
        "disease", "diseases", "diseaseorphenotypicfeature", "diseaseordisorder", "diseasedisorder", "disorder",
        "specificdisease", "diseaseclass", "compositemention", "modifier",
    ),
}  # fmt: skip
_VOCABULARIES = {type: prefix for prefix, types in _NUMBERED.items() for type in types}
_VARIANT = re.compile(r"mutation|variant|variation|snp|allele|acidchange|copynumber", re.IGNORECASE)
_MESH = re.compile(r"^(?:D\d{6,9}|C\d{6}|C\d{8,9}|Q\d{6,9})$")
_NUMBER = re.compile(r"^\d+$", re.ASCII)
_OF_SPECIES = re.compile(r"^(\d+)(?:\(Tax:\d+\))?$", re.ASCII)
_SEPARATOR = re.compile(r"[|+]")
_LISTED = re.compile(r"^\s*[\w:.\-]+(?:\s*[;,]\s*[\w:.\-]+)+\s*$")
# One of several ids in a field: a prefix and an id, or at most a few letters and digits. `SUB` does not match.
_ID = re.compile(r"^(?:[A-Za-z][\w.\- ]*:\S+|[A-Za-z]{0,12}[_\-]?\d[\w.\-]*|https?://\S+)$")
_VARIANT_FIELDS = re.compile(
    r"(?:^|[;,|])\s*(?:gene|correspondinggene|variantgroup|rs#|ca#|disease|species|hgvs)\s*:", re.IGNORECASE
)


def as_curie(identifier: str, *, prefix: str = "", type: str = "") -> str:
    """The id as a CURIE with its own prefix, else `prefix`, else the prefix implied by its shape or the mention's type.

    A bare number is an OMIM id for a disease, a gene id for a gene, and a taxon id for a species. An id of unknown shape
    is returned unchanged.
    """
    text = identifier.strip()
    if prefix:
        return curie(text, prefix=prefix)
    if _NUMBER.match(text):
        vocabulary = _VOCABULARIES.get("".join(filter(str.isalpha, type.casefold())))
        return f"{vocabulary}:{text}" if vocabulary else text
    return curie_of_shape(text)


@lru_cache(maxsize=1 << 14)  # corpora repeat their ids
def parse_concepts(field: str, *, prefix: str = "", type: str = "") -> tuple[tuple[str, ...], bool]:
    """The concepts in one field, in order, and whether they hold only together (`+`).

    prefix  for bare ids
    type    of the mention, which decides the vocabulary of bare numbers

    `|` separates the concepts of a composite mention, as do `;` and `,` between plain ids. `-1` and the like mean no
    concept (`is_none`). The species of a gene (`50929(Tax:10090)`) is not part of its id. A variant in tmVar or HGVS
    notation, which has its own separators, and any other text that is no list of ids, is one concept, unchanged; see
    `opaque`.
    """
    text = field.strip()
    if is_none(text):
        return (), False
    genes = _genes(text)
    if genes:
        return genes, False
    if _is_variant(text, type):
        return (text,), False
    listed = _LISTED.match(text) is not None
    pieces = [piece.strip() for piece in (re.split(r"[;,]", text) if listed else _SEPARATOR.split(text))]
    kept = [piece for piece in pieces if not is_none(piece)]
    if len(pieces) > 1 and not all(map(_ID.match, kept)):
        return (text,), False
    return tuple(as_curie(piece, prefix=prefix, type=type) for piece in kept), "+" in text and len(kept) > 1


def opaque(concepts: Iterable[str]) -> list[str]:
    """The concepts of unknown vocabularies, which are kept as written."""
    return [concept for concept in concepts if not is_known(concept)]


def format_concepts(
    concepts: Sequence[str], *, combined: bool = False, none: str = "-1", bare_mesh: bool = True
) -> str:
    """The concepts as one field for `parse_concepts`; with `bare_mesh`, MeSH ids have no prefix.

    The defaults follow the NCBI disease and BC5CDR corpora.
    """
    written = map(_without_prefix, concepts) if bare_mesh else concepts
    return ("+" if combined else "|").join(written) or none


@lru_cache(maxsize=1 << 14)
def _without_prefix(concept: str) -> str:
    return bare(concept) if concept.startswith("MESH:") and _MESH.match(bare(concept)) else concept


def _genes(text: str) -> tuple[str, ...]:
    """The genes of `50509,12831(Tax:10090)`; empty if no species is named."""
    if "(Tax:" not in text:
        return ()
    matches = [_OF_SPECIES.match(piece.strip()) for piece in re.split(r"[;,|]", text)]
    return () if None in matches else tuple(f"NCBIGENE:{match[1]}" for match in matches if match)


def _is_variant(text: str, type: str) -> bool:
    """Whether the field is one variant, whose fields are separated by `|` and `;`."""
    if text.lower().startswith("tmvar:"):
        return True
    several = re.search(r"[;,|+]", text) is not None
    listed = re.fullmatch(r"(?:rs\d+[;,|\s]*)+", text, re.IGNORECASE) is not None
    return several and not listed and bool(_VARIANT.search(type) or _VARIANT_FIELDS.search(text))
