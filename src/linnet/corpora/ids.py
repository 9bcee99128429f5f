"""Concept ids as corpora write them, and as linnet does: CURIEs.

>>> as_curie("D003920"), as_curie("104300"), as_curie("C0011849"), as_curie("672", type="Gene")
('MESH:D003920', 'OMIM:104300', 'UMLS:C0011849', 'NCBIGENE:672')
>>> parse_concepts("D001943|D010051")
(('MESH:D001943', 'MESH:D010051'), False)
>>> parse_concepts("D004829+D003294")
(('MESH:D004829', 'MESH:D003294'), True)
>>> parse_concepts("-1")
((), False)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from linnet.curies import bare, curie

__all__ = ["as_curie", "format_concepts", "parse_concepts"]

# MeSH ids have six or nine digits, UMLS CUIs seven, which is what tells C012345 from C0123456.
_MESH = re.compile(r"^(?:D\d{6,9}|C\d{6}|C\d{8,9}|Q\d{6,9})$")
_CUI = re.compile(r"^C\d{7}$")
_NONE = frozenset({"", "-", "-1", "none", "null", "nil", "nan", "cui-less", "cui_less"})
# Bare numbers: NCBI's annotation tools use Entrez Gene and NCBI Taxonomy ids; the disease corpora use OMIM's.
_NUMBERED = {
    "gene": "NCBIGENE",
    "gene/protein": "NCBIGENE",
    "geneorgeneproduct": "NCBIGENE",
    "species": "NCBITAXON",
    "organism": "NCBITAXON",
    "organismtaxon": "NCBITAXON",
}
_SEPARATOR = re.compile(r"[|+]")
_LISTED = re.compile(r"^\s*[\w:]+(?:\s*[;,]\s*[\w:]+)+\s*$")


def as_curie(identifier: str, *, prefix: str = "", type: str = "") -> str:
    """The id as a CURIE: with its own prefix, else `prefix`, else the one its shape and the mention's type tell.

    What has no telling shape comes back as it is.
    """
    text = identifier.strip()
    if prefix or ":" in text:
        return curie(text, prefix=prefix)
    if _MESH.match(text):
        return f"MESH:{text}"
    if _CUI.match(text):
        return f"UMLS:{text}"
    if text.isascii() and text.isdigit():
        return f"{_NUMBERED.get(type.casefold(), 'OMIM')}:{text}"
    return text


def parse_concepts(field: str, *, prefix: str = "", type: str = "") -> tuple[tuple[str, ...], bool]:
    """The concepts a corpus writes in one field, in its order, and whether they hold only together (`+`).

    `|` separates the concepts of a composite mention, as do `;` and `,` between plain ids. `-1` and the like are no
    concept. Mutations in tmVar's notation, which has bars of its own, stay whole.
    """
    if field.lstrip().lower().startswith("tmvar:"):
        return (field.strip(),), False
    listed = _LISTED.match(field) is not None
    pieces = re.split(r"[;,]", field) if listed else _SEPARATOR.split(field)
    kept = [piece for piece in pieces if piece.strip().lower() not in _NONE]
    return tuple(as_curie(piece, prefix=prefix, type=type) for piece in kept), "+" in field and len(kept) > 1


def format_concepts(
    concepts: Sequence[str], *, combined: bool = False, none: str = "-1", bare_mesh: bool = True
) -> str:
    """The concepts in one field, which `parse_concepts` reads; MeSH ids without prefix where `bare_mesh`.

    The defaults are what the NCBI disease and BC5CDR corpora write.
    """
    written = (
        bare(c) if bare_mesh and c.startswith("MESH:") and _MESH.match(bare(c)) else c for c in concepts
    )
    return ("+" if combined else "|").join(written) or none
