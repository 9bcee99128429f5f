"""What a file is, recognised by its first bytes: archives, office files, databases, and texts in a known markup.

>>> kind_of(b"%PDF-1.7 ...")
Kind(name='a PDF', advice='Extract its text, e.g. pdftotext FILE FILE.txt', binary=True)
>>> kind_of(b"Patients with gout were asked.") is None
True

Formats that linnet reads are detected by their readers (`corpora.detect`, `terminology.readers.detect`), which ask here
only what a file is that they cannot read. Sources: the formats' specifications; the magic numbers of file(1).
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

from linnet.compression import unreadable_kind

__all__ = ["Kind", "is_parquet", "kind_of"]


class Kind(NamedTuple):
    """A kind of file.

    name    with its article: "an Excel workbook (xlsx)"
    advice  what to do with it instead, a sentence
    binary  it holds bytes, not text
    """

    name: str
    advice: str
    binary: bool = False


_AS_TEXT = "Save its text as plain text (.txt)."
_AS_CSV = "Save the sheet as CSV."
_UNPACK = "Unpack it first."
_TO_TABLE = "Export the texts to CSV, Parquet or JSON Lines."
_AS_JSONL = 'Write the texts as JSON Lines, one {"id": …, "text": …} a line.'
_TERMINOLOGY = "To use it as a terminology: linnet terminology build FILE -o DIR"
_ROBOT = "To use it as a terminology: robot convert -i FILE -o NEW.obo, then linnet terminology build NEW.obo -o DIR"

_PARQUET = b"PAR1"
# Beginnings of binary files, besides the archives that `compression` names.
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF", "a PDF", "Extract its text, e.g. pdftotext FILE FILE.txt"),
    (b"%!PS", "a PostScript file", _AS_TEXT),
    (b"{\\rtf", "a rich-text document (RTF)", _AS_TEXT),
    (b"SQLite format 3\x00", "an SQLite database", _TO_TABLE),
    (b"ARROW1", "an Arrow or Feather file", "Write it as Parquet."),
    (b"\xff\xff\xff\xff", "an Arrow stream", "Write it as Parquet."),
    (b"Obj\x01", "an Avro file", "Write it as Parquet or JSON Lines."),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _TO_TABLE),
    (b"\x93NUMPY", "a NumPy array", _TO_TABLE),
    (b"RDX3\n", "an R data file", "Write it as CSV: write.csv() in R."),
    (b"\x1f\x8b", "a gzip file", _UNPACK),
    (b"BZh91AY&SY", "a bzip2 file", _UNPACK),
    (b"\xfd7zXZ\x00", "an xz file", _UNPACK),
    (b"\x89PNG", "a picture (PNG)", "Recognise its text first (OCR)."),
    (b"\xff\xd8\xff", "a picture (JPEG)", "Recognise its text first (OCR)."),
    (b"GIF89a", "a picture (GIF)", "Recognise its text first (OCR)."),
    (b"II*\x00", "a picture (TIFF)", "Recognise its text first (OCR)."),
    (b"MM\x00*", "a picture (TIFF)", "Recognise its text first (OCR)."),
    (b"\x7fELF", "a program", "Name the file with the texts."),
    (b"AT&TFORM", "a DjVu document", _AS_TEXT),
)  # fmt: skip
# Beginnings that a text may have too ("PAR1 is a receptor"): binary only where the bytes behind them are no text.
_WORDS: tuple[tuple[bytes, str, str], ...] = (
    (_PARQUET, "a Parquet file", "Name the column with the texts: --column NAME"),
    (b"ORC", "an ORC file", "Write it as Parquet."),
    (b"FEA1", "an old Feather file", "Write it as Parquet."),
)
# What the first entries of a zip archive are called → what it is.
_ZIPPED: tuple[tuple[bytes, str, str], ...] = (
    (b"xl/", "an Excel workbook (xlsx)", _AS_CSV),
    (b"word/", "a Word document (docx)", _AS_TEXT),
    (b"ppt/", "a PowerPoint file (pptx)", _AS_TEXT),
    (b"opendocument.spreadsheet", "an OpenDocument spreadsheet (ods)", _AS_CSV),
    (b"opendocument", "an OpenDocument file", _AS_TEXT),
    (b"application/epub+zip", "an e-book (EPUB)", _AS_TEXT),
    (b"[Content_Types].xml", "an Office file (docx, xlsx or pptx)", "Save it as plain text or CSV."),
    (b"/data.pkl", "a PyTorch file", "Name the file with the texts."),
    (b"TypeSystem.xml", "a zip archive of UIMA annotations", _UNPACK),
)
# Roots of XML documents, without their namespace prefix, in lower case.
_ROOTS: dict[str, tuple[str, str]] = {
    "typesystemdescription": ("a UIMA type system", "It holds no text: name the .xmi file beside it."),
    "pubmedarticleset": ("PubMed XML", _AS_JSONL),
    "pubmedarticle": ("PubMed XML", _AS_JSONL),
    "pubmedbookarticleset": ("PubMed XML", _AS_JSONL),
    "medlinecitationset": ("MEDLINE XML", _AS_JSONL),
    "article": ("an article in JATS XML", _AS_JSONL),
    "pmc-articleset": ("a set of articles in JATS XML", _AS_JSONL),
    "tei": ("TEI XML", _AS_JSONL),
    "html": ("a web page (HTML)", _AS_TEXT),
    "svg": ("a picture (SVG)", _AS_TEXT),
    "rdf": ("OWL or RDF in XML", _ROBOT),
    "ontology": ("OWL in XML", _ROBOT),
    "descriptorrecordset": ("MeSH XML", _TERMINOLOGY),
    "supplementalrecordset": ("MeSH XML", _TERMINOLOGY),
    "claml": ("a classification in ClaML", "It is a terminology; write it as a table and compile that."),
    "clinicaldocument": ("a clinical document (HL7 CDA)", _AS_JSONL),
    "clinical_study": ("a record of ClinicalTrials.gov", _AS_JSONL),
    "gatedocument": ("GATE XML", "Export it as BRAT or JSON Lines."),
    "workbook": ("an Excel workbook in XML", _AS_CSV),
    "rss": ("a news feed (RSS)", _AS_JSONL),
    "feed": ("a news feed (Atom)", _AS_JSONL),
}  # fmt: skip
_FHIR_XML = "http://hl7.org/fhir"
# {'text': …} and {text: …}, alone or in a list.
_LITERAL = r"\A\s*\[?\s*\{\s*(?:'[^'\n]{1,80}'|[A-Za-z_]\w{0,80})\s*:\s*(?:['\"\[{\d]|None|True|False|null|true|false)"
# Lines of a header, one of which only transport writes: what follows may be packed in base64, or in several parts.
_MAIL = (
    r"\A(?:[A-Za-z][\w-]{0,40}:(?: .*)?\n(?:[ \t].*\n)*){0,60}?"
    r"(?i:mime-version|content-transfer-encoding|content-type|received|message-id): "
)
# Texts in a markup of their own, recognised by the beginning of a line.
_MARKUP: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), name, advice)
    for pattern, name, advice in (
        (r"\A\s*<(?i:!doctype html|html|head|body)\b", "a web page (HTML)", _AS_TEXT),
        (r"\A\s*(?:@prefix|@base|PREFIX|BASE)\s+\S*\s*<", "an ontology in Turtle", _ROBOT),
        (r"\A\s*(?:<[^<>\s]+>|_:\S+) <[^<>\s]+> (?:<|_:|\").*\.\s*$", "RDF in N-Triples", _ROBOT),
        (r"\A\s*(?:Prefix\(\S*:?=<|Ontology\()", "an ontology in OWL functional syntax", _ROBOT),
        (r"\A\s*(?:Prefix: \S*:? *<|Ontology: *<)", "an ontology in Manchester syntax", _ROBOT),
        (r"\A\s*format-version:\s|^\[Term\]\s*$", "an ontology in OBO", _TERMINOLOGY),
        (r"\A#FORMAT=WebAnno TSV [12]", "WebAnno TSV before version 3", "Name a format that linnet reads, or export it as JSON Lines."),
        (_LITERAL, "an object of Python or JavaScript, not JSON", "Write it as JSON, e.g. with json.dumps() in Python."),
        (_MAIL, "an e-mail", _AS_TEXT),
        (r"\A\s*TY  - [A-Z]", "a RIS file of references", _AS_JSONL),
        (r"\A\s*PMID- ?\d", "a PubMed file of references (nbib, MEDLINE)", _AS_JSONL),
        (r"\A\s*@(?:article|book|inproceedings|misc|comment)\s*\{", "a BibTeX file of references", _AS_JSONL),
        (r"\A%0 \S", "an EndNote file of references", _AS_JSONL),
        (r"\AFN \S.*\nVR \d", "a Web of Science file of references", _AS_JSONL),
        (r"\AMSH\|\^~\\&", "a file of HL7 version 2 messages", _AS_JSONL),
        (r"\A##fileformat=VCF", "a VCF file of genetic variants", "Name a file of texts."),
        (r"\A##gff-version", "a GFF file of genome annotations", "Name a file of texts."),
        (r"\A>\S.*\n[A-Za-z*-]{20,}\s*$", "a FASTA file of sequences", "Name a file of texts."),
        (r"\A#\s*curie_map:|\A#\s*mapping_set_id:", "an SSSOM file of mappings", "Use them in: linnet terminology merge --map FILE"),
        (r"\A\s*\\documentclass|\A\s*\\begin\{document\}", "LaTeX", _AS_TEXT),
    )
)  # fmt: skip
_JSON_KEYS: tuple[tuple[str, str, str], ...] = (
    ("resourceType", "FHIR JSON", "Compile a CodeSystem or ValueSet: linnet terminology build FILE -o DIR"),
    ("nbformat", "a Jupyter notebook", _AS_TEXT),
    ("graphs", "an ontology in OBO Graphs JSON", _TERMINOLOGY),
    ("@context", "linked data (JSON-LD)", _AS_JSONL),
    ("$schema", "a JSON schema or a file that follows one", _AS_JSONL),
    ("protocolSection", "a record of ClinicalTrials.gov", _AS_JSONL),
)  # fmt: skip

_ROOT = re.compile(r"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)([^>]*)")
_PROLOGUE = re.compile(r"\A(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
# Control characters that texts do not hold, or one in thousands; tabs, line ends, form feeds and escapes do occur.
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_FEW = 0.002  # share of them in a text with stray characters
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def kind_of(head: bytes) -> Kind | None:
    """What a file that begins like this is, None for plain text, tables and JSON or XML of no known kind.

    head  the first bytes, unzipped where linnet unzips the file itself; a few thousand tell most kinds
    """
    binary = _binary(head)
    if binary:
        return binary
    encoding = "utf-16" if head.startswith(_UTF_16) else "utf-8-sig"
    text = head.decode(encoding, "replace")
    for pattern, name, advice in _MARKUP:
        if pattern.search(text):
            return Kind(name, advice)
    start = text.lstrip()
    if start.startswith("<"):
        return _xml(start)
    if start.startswith(("{", "[")):
        return _json(start)
    return None


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins like this is Parquet, and not a text about the receptor PAR1."""
    return head.startswith(_PARQUET) and _not_text(head)


def _not_text(head: bytes) -> bool:
    return b"\x00" in head or len(_CONTROL.findall(head)) > _FEW * len(head)


def _binary(head: bytes) -> Kind | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        for inside, name, advice in _ZIPPED:
            if inside in head:
                return Kind(name, advice, binary=True)
        return Kind("a zip archive", _UNPACK, binary=True)
    if unreadable := unreadable_kind(head):
        name, advice = unreadable
        return Kind(name, f"{advice}.", binary=True)
    for beginning, name, advice in _MAGIC:
        if head.startswith(beginning):
            return Kind(name, advice, binary=True)
    if head[128:132] == b"DICM":
        return Kind("a medical image (DICOM)", "Name the file with the texts.", binary=True)
    if head[:4] == b"RIFF":
        return Kind("a picture, sound or film (RIFF)", "Name the file with the texts.", binary=True)
    if len(head) > 1 and head[0] == 0x80 and head[1] in range(2, 6):
        return Kind("a Python pickle", "Write its content as JSON Lines, CSV or Parquet.", binary=True)
    if head[:2] in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda") and _not_text(head):
        return _deflated(head)
    if head.startswith(_UTF_16) or not _not_text(head):
        return None
    for beginning, name, advice in _WORDS:
        if head.startswith(beginning):
            return Kind(name, advice, binary=True)
    for first, encoding in ((1, "utf-16le"), (0, "utf-16be")):
        if (
            len(head) > 1
            and head[first::2].count(0) > 0.3 * len(head[first::2])
            and not _CONTROL.search(head[1 - first :: 2])
        ):
            advice = f"Convert it: iconv -f {encoding} -t utf-8 FILE > NEW"
            return Kind("UTF-16 without a byte order mark", advice, binary=True)
    return Kind(
        "a binary file of an unknown kind",
        "If it is text, save it as UTF-8; else name the file with the texts.",
        binary=True,
    )


def _deflated(head: bytes) -> Kind | None:
    """A zlib stream: spaCy writes its documents as one that unpacks to a MessagePack map with these keys."""
    try:
        inside = zlib.decompressobj().decompress(head, 1 << 14)
    except zlib.error:
        return None  # "x^", say, begins a text
    if b"attrs" in inside or b"spaces" in inside:
        return Kind(
            "a spaCy DocBin",
            "Write its documents as JSON Lines: in Python, DocBin().from_disk(FILE).get_docs(nlp.vocab).",
            binary=True,
        )
    return Kind("a file compressed with zlib", _UNPACK, binary=True)


def _xml(text: str) -> Kind | None:
    root = _ROOT.match(text, _PROLOGUE.match(text).end())  # type: ignore[union-attr]  # matches the empty string
    if not root:
        return None
    if _FHIR_XML in root[2]:
        return Kind("FHIR XML", "Export it as FHIR JSON.")
    known = _ROOTS.get(root[1].lower())
    return Kind(*known) if known else None


def _json(text: str) -> Kind | None:
    for key, name, advice in _JSON_KEYS:
        if re.search(rf'"{re.escape(key)}"\s*:', text[:4096]):
            return Kind(name, advice)
    return None
