"""Identifiers as CURIEs, with one spelling per vocabulary.

>>> curie("D003920"), curie("mesh:D003920"), curie("http://id.nlm.nih.gov/mesh/D003920")
('MESH:D003920', 'MESH:D003920', 'MESH:D003920')
>>> curie("http://purl.obolibrary.org/obo/MONDO_0005015"), curie("HP_0000001"), curie("HGNC:HGNC:5")
('MONDO:0005015', 'HP:0000001', 'HGNC:5')
>>> curie(" 104300", prefix="OMIM")
'OMIM:104300'
>>> curie("NCBI Gene:672"), curie("SCTID:22298006"), curie("my-own:7"), curie("plain")
('NCBIGENE:672', 'SNOMEDCT:22298006', 'my-own:7', 'plain')
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from urllib.parse import unquote

__all__ = [
    "SPELLINGS",
    "VERSIONED",
    "bare",
    "curie",
    "curie_of_shape",
    "is_known",
    "spelling_key",
]

# Spellings in terminologies and corpora → linnet's prefix. They override those of `prefixes.tsv`.
SPELLINGS = {
    "msh": "MESH",
    "mesh": "MESH",
    "mim": "OMIM",
    "omim": "OMIM",
    "omimps": "OMIMPS",
    "mimps": "OMIMPS",
    "umls": "UMLS",
    "umlscui": "UMLS",
    "cui": "UMLS",
    "ordo": "ORPHA",
    "orpha": "ORPHA",
    "orphanet": "ORPHA",
    "orphacode": "ORPHA",
    "nci": "NCIT",
    "ncit": "NCIT",
    "doid": "DOID",
    "do": "DOID",
    "mondo": "MONDO",
    "hp": "HP",
    "hpo": "HP",
    "chebi": "CHEBI",
    "symp": "SYMP",
    "uberon": "UBERON",
    "cl": "CL",
    "bto": "BTO",
    "cvcl": "CVCL",
    "cellosaurus": "CVCL",
    "go": "GO",
    "sctid": "SNOMEDCT",
    "sct": "SNOMEDCT",
    "snomed": "SNOMEDCT",
    "snomedct": "SNOMEDCT",
    "snomedctus": "SNOMEDCT",
    "icd10cm": "ICD10CM",
    "icd10": "ICD10",
    "icd11": "ICD11",
    "icd9": "ICD9",
    "icd9cm": "ICD9CM",
    "icdo": "ICDO",
    "icdo3": "ICDO",
    "rxnorm": "RXNORM",
    "rxcui": "RXNORM",
    "meddra": "MEDDRA",
    "mdr": "MEDDRA",
    "pubchem": "PUBCHEM",
    "pubchemcid": "PUBCHEM.COMPOUND",
    "pubchemsid": "PUBCHEM.SUBSTANCE",
    "ncbigene": "NCBIGENE",
    "entrezgene": "NCBIGENE",
    "entrez": "NCBIGENE",
    "geneid": "NCBIGENE",
    "ncbigeneid": "NCBIGENE",
    "ncbitaxon": "NCBITAXON",
    "ncbitaxonomy": "NCBITAXON",
    "taxonomy": "NCBITAXON",
    "taxid": "NCBITAXON",
    "hgnc": "HGNC",
    "efo": "EFO",
    "drugbank": "DRUGBANK",
    "pharmgkb": "PHARMGKB",
    "uniprotkb": "UNIPROT",
    "omop": "OMOP",
}
VERSIONED = re.compile(
    r"^(snomed_?ct(?:_us)?|sctid|icd10cm|icd9cm|icd10|icd9|msh\d{4})_\d{4}(_\d\d?){1,2}$", re.IGNORECASE
)
_USUAL = re.compile(r"^([A-Z]+):[A-Z]?\d+$", re.ASCII)
_SEPARATORS = re.compile(r"[\s_.\-]+")
_DOUBLED = re.compile(r"^([^:_]+(?:_[A-Za-z]+)?)[:_](.+)$")
_ADDRESS = re.compile(r"^(?:https?://|urn:miriam:|(?=identifiers\.org/))", re.IGNORECASE)
# A short head with a short number (PR_1) is ambiguous.
_UNDERSCORED = re.compile(r"^([A-Za-z]{4,}[0-9]*|[A-Za-z][A-Za-z0-9]{0,2}(?=_\w{4}))_(\w*\d\w*)$")
_OBO = re.compile(r"^.*[/#]([A-Za-z][A-Za-z0-9]*)_([^/#]*\d[^/#]*)$")
_LAST = re.compile(r"^.*[/#]([A-Za-z][A-Za-z0-9.]*)[/:#]([^/#?=&]+)$")
_QUERIED = re.compile(r"^.*[?&]\w+=([^?&=]+)$")
_SNOMED = re.compile(r"^snomed\.info/.*\bid/(\d+)$")
# Heads that name a resolver, not a vocabulary.
_RESOLVERS = frozenset({"obo", "bioregistry", "identifiersorg", "miriam"})
# Vocabularies whose ids have only capital letters.
_CAPITALS = frozenset({"MESH", "UMLS", "NCIT", "DRUGBANK", "CVCL", "CHEMBL", "UNII"})
_CODE = re.compile(r"^[A-Za-z]{0,6}\d\w*$")
# Bare ids whose shape is unique among vocabularies in use. C and six digits is MeSH or NCIt: see `curie_of_shape`.
_SHAPES = (
    (re.compile(r"^(?:D(?:\d{6}|\d{9})|C\d{9})$"), "MESH"),
    (re.compile(r"^C\d{7}$"), "UMLS"),
)
# MeSH ids have six or nine digits, UMLS CUIs seven: this distinguishes C012345 from C0123456.
_MESH = re.compile(r"^(?:D\d{6,9}|C\d{6}|C\d{8,9}|Q\d{6,9})$")


def curie(identifier: str, *, prefix: str = "") -> str:
    """`identifier` as a CURIE with linnet's spelling of the prefix; `prefix` is for identifiers without one.

    Prefixes are compared without case, spaces, dots, dashes and underscores. OBO PURLs, identifiers.org addresses and
    those in `prefixes.tsv` are shortened; a doubled prefix (`HGNC:HGNC:5`) is written once; `HP_0000001`, bare MeSH ids
    and UMLS CUIs get their prefix. Spaces around the colon are dropped. Other identifiers, without a prefix or with an
    unknown one, are returned unchanged.
    """
    text = identifier.strip()
    usual = _USUAL.match(text)
    if usual and _prefix_of(usual[1]) == usual[1]:
        return text
    if _ADDRESS.match(text):
        return _of_address(text)
    head, colon, tail = text.partition(":")
    if colon:
        return _spelt(head.strip(), tail.strip())
    underscored = _UNDERSCORED.match(text)
    if underscored and (known := _prefix_of(underscored[1])) and _prefix_of(prefix or known) == known:
        return _spelt(known, underscored[2])
    if prefix:
        return _spelt(prefix.strip(), text)
    return next((f"{name}:{text}" for shape, name in _SHAPES if shape.match(text)), text)


def curie_of_shape(identifier: str) -> str:
    """As `curie`, but a bare C with six digits is a MeSH id, as in annotated corpora."""
    text = curie(identifier)
    return f"MESH:{text}" if _MESH.match(text) else text


def bare(identifier: str) -> str:
    """The part after the prefix: `MESH:D003920` → `D003920`."""
    return identifier.partition(":")[2] or identifier


def is_known(identifier: str) -> bool:
    """Whether an identifier has the prefix of a known vocabulary."""
    head, colon, _ = identifier.partition(":")
    return bool(colon) and _prefix_of(head) is not None


def spelling_key(prefix: str) -> str:
    """The normal form in which spellings of a prefix are compared."""
    return _SEPARATORS.sub("", prefix).lower()


def _spelt(head: str, tail: str) -> str:
    """`head:tail` with linnet's spelling of the head, once."""
    if not head:
        return tail
    known = _prefix_of(head)
    if known is None:
        if spelling_key(head) in _RESOLVERS and (":" in tail or _UNDERSCORED.match(tail)):
            return curie(tail)
        return f"{head}:{tail}"
    while True:
        again = _DOUBLED.match(tail)
        if not again or _prefix_of(again[1]) != known:
            break
        tail = again[2].strip()
    return f"{known}:{tail.upper() if known in _CAPITALS and _CODE.match(tail) else tail}"


def _of_address(address: str) -> str:
    """The CURIE of an address; the address itself if its vocabulary is unknown."""
    text = unquote(address).rstrip("/")
    rest = _ADDRESS.sub("", text)
    if text.lower().startswith("urn:miriam:"):
        return curie(rest.removeprefix("obo."))
    coded = _SNOMED.match(rest)
    if coded:
        return f"SNOMEDCT:{coded[1]}"
    rest = rest.replace("|", "/", 1)  # FHIR's `SYSTEM|CODE`
    place, known = _longest(rest)
    if known:
        return _spelt(known, rest[len(place) :])
    queried = _QUERIED.match(text)
    if queried:
        return identifier if is_known(identifier := curie(queried[1])) else address
    match = _OBO.match(text)
    if match:
        return _spelt(*match.groups())
    match = _LAST.match(text)
    return _spelt(*match.groups()) if match and _prefix_of(match[1]) else address


def _longest(rest: str) -> tuple[str, str]:
    """The longest known beginning of the address, and its prefix."""
    addresses = _table()[1]
    cuts = [end for end in range(len(rest) - 1, 0, -1) if not rest[end - 1].isalnum()]
    place = next((rest[:end] for end in cuts if rest[:end] in addresses), "")
    return place, addresses.get(place, "")


@lru_cache(1 << 12)
def _prefix_of(head: str) -> str | None:
    """linnet's spelling of a prefix, None if it is unknown."""
    versioned = VERSIONED.match(head.strip())
    key = spelling_key(versioned[1] if versioned else head)
    return SPELLINGS.get(key) or _table()[0].get(key)


@cache
def _table() -> tuple[dict[str, str], dict[str, str]]:
    """From `prefixes.tsv`: spelling → prefix, and beginning of an address (without scheme) → prefix."""
    spellings: dict[str, str] = {}
    addresses: dict[str, str] = {}
    for line in (files("linnet.words") / "prefixes.tsv").read_text(encoding="utf-8").splitlines()[2:]:
        prefix, written, places = line.split("\t")
        spellings.update(dict.fromkeys(written.split("|"), prefix))
        addresses.update(dict.fromkeys(places.split("|") if places else (), prefix))
    return spellings, addresses
