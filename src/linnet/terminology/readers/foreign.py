"""Known files that are no readable terminology: what each is, and the next step.

Sources: the specification of each format (PKWARE's APPNOTE, SQLite's file format, RFC 1950, Turtle and OWL 2 of the W3C,
NDEx's CX, …).
"""

from __future__ import annotations

import re
from pathlib import Path

from linnet.errors import DataError
from linnet.signatures import kind_of

__all__ = ["refuse_binary", "refuse_text", "xml_root"]

_CSV = "Open it in a spreadsheet program and save the sheet as CSV."
_ROBOT = (
    "Get it as OBO or OBO Graphs JSON, which most ontologies offer beside it, "
    "or convert it with ROBOT: robot convert --input {name} --output {stem}.obo"
)
# First bytes of a file → what it is, and the next step.
_MAGIC = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel (.xls) or Word file", _CSV),
    (b"SQLite format 3\0", "an SQLite database",
     "Export the table of concepts: sqlite3 -csv -header {name} 'SELECT * FROM TABLE' > {stem}.csv"),
    (b"%PDF", "a PDF document", "Get the terminology itself, in one of the formats of `linnet terminology build --help`."),
    (b"PAR1", "a Parquet table",
     "Convert it: python -c \"import pyarrow.csv as c, pyarrow.parquet as p; "
     "c.write_csv(p.read_table('{name}'), '{stem}.csv')\""),
    (b"ARROW1", "an Arrow (Feather) table",
     "Convert it: python -c \"import pyarrow.csv as c, pyarrow.feather as f; "
     "c.write_csv(f.read_table('{name}'), '{stem}.csv')\""),
    (b"\x89HDF", "an HDF5 file", "Export its table as CSV."),
    (b"\x93NUMPY", "a NumPy array", "Export the names and ids as CSV."),
    (b"\x89PNG", "a picture (PNG)", "Check the path."),
    (b"\xff\xd8\xff", "a picture (JPEG)", "Check the path."),
)  # fmt: skip
_BEFORE_ROOT = re.compile(
    r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^\[>]*(?:\[.*?\])?[^>]*>", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(r"<([\w.:-]+)")
# Root element of an XML file → what it is, and the next step.
_ROOTS = {
    "rdf:RDF": ("OWL in RDF/XML, which linnet does not read", _ROBOT),
    "owl:Ontology": ("OWL in RDF/XML, which linnet does not read", _ROBOT),
    "Ontology": ("OWL/XML, which linnet does not read", _ROBOT),
    "ClaML": ("a classification in ClaML", "Convert its classes to a table with the columns id, name, parents."),
    "html": ("a web page (HTML)", "It may be the publisher's licence or sign-in page. Download the file behind it."),
    "CodeSystem": ("FHIR in XML", "Get it as JSON (Accept: application/fhir+json)."),
    "ValueSet": ("FHIR in XML", "Get it as JSON (Accept: application/fhir+json)."),
    "Bundle": ("FHIR in XML", "Get it as JSON (Accept: application/fhir+json)."),
    "drugbank": ("DrugBank's full XML", "Take DrugBank's open vocabulary (CSV), which linnet reads as a table."),
    "JDBOR": ("Orphadata XML", "Take ORDO as OBO or OBO Graphs JSON."),
    "Cellosaurus": ("Cellosaurus in XML", "Take cellosaurus.obo."),
    "xmi:XMI": ("annotated text (UIMA XMI)", "A terminology holds ids and names; `linnet link` and `linnet evaluate` read text."),
    "collection": ("annotated text (BioC)", "A terminology holds ids and names; `linnet link` and `linnet evaluate` read text."),
    "PubmedArticleSet": ("PubMed articles", "A terminology holds ids and names; `linnet link` reads text."),
    "article": ("an article (JATS)", "A terminology holds ids and names; `linnet link` reads text."),
}  # fmt: skip
_PICKLED = "linnet never opens pickles, as they can run code. Export its terms as CSV or JSON Lines."
_TEXT_FILE = (
    "Name the file with the texts."  # advice of `signatures`, which a terminology needs in other words
)
_TEXTS = "A terminology holds ids and names; `linnet link` and `linnet evaluate` read text."
_TRIPLE = re.compile(r"<(?:https?|urn|file):[^<>\s]+>\s+<[^<>\s]+>\s")
# Text that begins so (comments and blank lines left aside) → what it is, and the next step.
_TEXT = (
    (r"version https://git-lfs\.github\.com/", "a pointer of Git LFS in place of the file", "Run: git lfs pull"),
    (r"\*NEWRECORD", "MeSH in ASCII", "Take the XML of the same year: linnet terminology fetch mesh-descriptors"),
    (r"(?i)(?:@prefix|@base|prefix|base)\s+[^\s(]*:?\s*<", "Turtle", _ROBOT),
    (_TRIPLE.pattern, "RDF as N-Triples or N-Quads", _ROBOT),
    (r"(?:Prefix|Ontology)\(", "OWL in functional syntax, which linnet does not read", _ROBOT),
    (r"(?:Prefix|Ontology):", "OWL in Manchester syntax, which linnet does not read", _ROBOT),
    (r"[\w.-]+\|[ta]\|", "annotated text (PubTator)", _TEXTS),
    (r"(?:\S+[ \t]+)+[BIOES](?:-\S+)?\n(?:\S+[ \t]+)+[BIOES](?:-\S+)?$", "annotated text (CoNLL)", _TEXTS),
    (r"-?\d+\|\|\d+\|\d+\|\|", "mentions with gold ids (BioSyn's .concept files)", _TEXTS),
    (r"!g[ap][fp]?[ad]?-version", "an annotation file (GAF or GPAD), which holds no names", "Take the ontology it refers to, e.g. go.obo."),
    (r"ID   \S.*\nA[CS]   ", "a flat file of UniProt or Cellosaurus", "Take OBO, or a table with the columns id, name, synonyms."),
)  # fmt: skip
_TEXT_BEGINS = tuple((re.compile(begin, re.MULTILINE), what, advice) for begin, what, advice in _TEXT)


def refuse_binary(path: Path, head: bytes) -> None:
    """Raise DataError if the first bytes of a file, uncompressed, show a known binary format."""
    for magic, what, advice in _MAGIC:
        if head.startswith(magic):
            raise _refusal(what, advice, path)
    kind = kind_of(head)
    if kind is None or not kind.binary:
        return
    if kind.name == "a Python pickle":
        raise _refusal(kind.name, _PICKLED, path)
    if kind.name == "a spaCy DocBin":
        raise _refusal("a spaCy DocBin, which holds annotated text", _TEXTS, path)
    raise _refusal(kind.name, kind.advice.replace(_TEXT_FILE, "Name the file with the ids and names."), path)


def refuse_text(path: Path, head: str) -> None:
    """Raise DataError if the beginning of a text shows a format that linnet does not read.

    head  the first characters of the file
    """
    if "\0" in head:
        raise _refusal(
            f"binary data of a kind linnet does not know (it begins with {head[:8]!r})",
            "Check the path.",
            path,
        )
    start = head.lstrip()
    if start.startswith("<") and not _TRIPLE.match(start):
        root = xml_root(start)
        kind = _ROOTS.get(root) or _ROOTS.get(root.lower())
        if kind is not None:
            raise _refusal(*kind, path)
    # SSSOM and Turtle begin with comments, Cellosaurus' flat file with a paragraph of dashes.
    plain = "\n".join(line for line in start.splitlines() if line.strip() and not line.startswith("#"))
    for begin, what, advice in _TEXT_BEGINS:
        if begin.match(plain):
            raise _refusal(what, advice, path)


def xml_root(head: str) -> str:
    """Name of the root element of XML or HTML as written; "" if the head holds none."""
    root = _ROOT.search(_BEFORE_ROOT.sub("", head))
    return root.group(1) if root else ""


def _refusal(what: str, advice: str, path: Path) -> DataError:
    stem = path.name.removesuffix(path.suffix)
    return DataError(f"is {what}. {advice.replace('{name}', path.name).replace('{stem}', stem)}", path=path)
