"""Kinds of files, recognised by their first bytes: archives, office files, databases, texts in a known markup or format.

>>> kind_of(b"%PDF-1.7 ...").name
'a PDF'
>>> kind_of(b"Patients with gout were asked.") is None
True

The formats that linnet reads are detected by `corpora.detect` and `terminology.readers.detect`, which use the kinds here to
name a file that they cannot read. Sources: the formats' specifications; the magic numbers of file(1).
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

from linnet.io.compression import unreadable_kind

__all__ = ["CONTROL_CODES", "Kind", "corpus_kind", "is_parquet", "kind_of", "xml_root"]


class Kind(NamedTuple):
    """A kind of file.

    name    with its article: "an Excel workbook (xlsx)"
    advice  the next step for a file of texts, a sentence; FILE and NEW stand for names
    terminology_advice  the next step for a terminology; {name} and {stem} stand for the file's name; "" for a kind that may be
                        a terminology
    binary  it holds bytes, not text
    """

    name: str
    advice: str
    terminology_advice: str = ""
    binary: bool = False


_AS_TEXT = "Save its text as plain text (.txt)."
_AS_CSV = "Save the sheet as CSV."
_UNPACK = "Unpack it first."
_TO_TABLE = "Export the texts to CSV, Parquet or JSON Lines."
_AS_JSONL = 'Write the texts as JSON Lines, one {"id": …, "text": …} a line.'
_TERMINOLOGY = "To use it as a terminology: linnet terminology build FILE -o DIR"
_ROBOT = "To use it as a terminology: robot convert -i FILE -o NEW.obo, then linnet terminology build NEW.obo -o DIR"
_NO_TEXT = "Name a file of texts."
_NAME_IT = "Name the file with the texts."
# For terminologies.
_TO_OBO = (
    "Get it as OBO or OBO Graphs JSON, which most ontologies offer beside it, "
    "or convert it with ROBOT: robot convert --input {name} --output {stem}.obo"
)
_TEXTS = "A terminology holds ids and names; `linnet link` and `linnet evaluate` read text."
_CHECK_PATH = "Check the path."
_PICKLED = "linnet never opens pickles, as they can run code. Export its terms as CSV or JSON Lines."
_WEB_PAGE = "It may be the publisher's licence or sign-in page. Download the file behind it."
_TO_CSV = "Export the ids and names as CSV."
_SQLITE = "Export the table of concepts: sqlite3 -csv -header {name} 'SELECT * FROM TABLE' > {stem}.csv"
_ARROW_TO_CSV = "Convert it: python -c \"import pyarrow.csv as c, pyarrow.%s as f; c.write_csv(f.read_table('{name}'), '{stem}.csv')\""

_PARQUET = b"PAR1"
# Beginnings of binary files, besides the archives that `compression` names.
_MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (b"%PDF", Kind("a PDF",
         "Extract its text, e.g. pdftotext FILE FILE.txt",
         "Get the terminology itself, in one of the formats of `linnet terminology build --help`.")),
    (b"%!PS", Kind("a PostScript file", _AS_TEXT)),
    (b"{\\rtf", Kind("a rich-text document (RTF)", _AS_TEXT)),
    (b"SQLite format 3\x00", Kind("an SQLite database", _TO_TABLE, _SQLITE)),
    (b"ARROW1", Kind("an Arrow or Feather file", "Write it as Parquet.", _ARROW_TO_CSV % "feather")),
    (b"\xff\xff\xff\xff", Kind("an Arrow stream", "Write it as Parquet.")),
    (b"Obj\x01", Kind("an Avro file", "Write it as Parquet or JSON Lines.")),
    (b"\x89HDF\r\n\x1a\n", Kind("an HDF5 file", _TO_TABLE, _TO_CSV)),
    (b"\x93NUMPY", Kind("a NumPy array", _TO_TABLE, _TO_CSV)),
    (b"RDX3\n", Kind("an R data file", "Write it as CSV: write.csv() in R.")),
    (b"\x1f\x8b", Kind("a gzip file", _UNPACK)),
    (b"BZh91AY&SY", Kind("a bzip2 file", _UNPACK)),
    (b"\xfd7zXZ\x00", Kind("an xz file", _UNPACK)),
    (b"\x89PNG", Kind("a picture (PNG)", "Recognise its text first (OCR).", _CHECK_PATH)),
    (b"\xff\xd8\xff", Kind("a picture (JPEG)", "Recognise its text first (OCR).", _CHECK_PATH)),
    (b"GIF89a", Kind("a picture (GIF)", "Recognise its text first (OCR).", _CHECK_PATH)),
    (b"II*\x00", Kind("a picture (TIFF)", "Recognise its text first (OCR).", _CHECK_PATH)),
    (b"MM\x00*", Kind("a picture (TIFF)", "Recognise its text first (OCR).", _CHECK_PATH)),
    (b"\x7fELF", Kind("a program", _NAME_IT, _CHECK_PATH)),
    (b"AT&TFORM", Kind("a DjVu document", _AS_TEXT)),
)  # fmt: skip
# Beginnings that a text may have too ("PAR1 is a receptor"): binary only if the following bytes are not text.
_WORDS: tuple[tuple[bytes, Kind], ...] = (
    (
        _PARQUET,
        Kind("a Parquet file", "Name the column with the texts: --column NAME", _ARROW_TO_CSV % "parquet"),
    ),
    (b"ORC", Kind("an ORC file", "Write it as Parquet.")),
    (b"FEA1", Kind("an old Feather file", "Write it as Parquet.")),
)
# Names of the first entries of a zip archive.
_ZIPPED: tuple[tuple[bytes, Kind], ...] = (
    (b"xl/", Kind("an Excel workbook (xlsx)", _AS_CSV)),
    (b"word/", Kind("a Word document (docx)", _AS_TEXT)),
    (b"ppt/", Kind("a PowerPoint file (pptx)", _AS_TEXT)),
    (b"opendocument.spreadsheet", Kind("an OpenDocument spreadsheet (ods)", _AS_CSV)),
    (b"opendocument", Kind("an OpenDocument file", _AS_TEXT)),
    (b"application/epub+zip", Kind("an e-book (EPUB)", _AS_TEXT)),
    (b"[Content_Types].xml", Kind("an Office file (docx, xlsx or pptx)", "Save it as plain text or CSV.")),
    (b"/data.pkl", Kind("a PyTorch file", _NAME_IT, _CHECK_PATH)),
    (b"TypeSystem.xml", Kind("a zip archive of UIMA annotations", _UNPACK)),
)
# Roots of XML documents, without their namespace prefix, in lower case.
_ROOTS: dict[str, Kind] = {
    "typesystemdescription": Kind("a UIMA type system", "It holds no text: name the .xmi file beside it."),
    "pubmedarticleset": Kind("PubMed XML", _AS_JSONL, _TEXTS),
    "pubmedarticle": Kind("PubMed XML", _AS_JSONL, _TEXTS),
    "pubmedbookarticleset": Kind("PubMed XML", _AS_JSONL, _TEXTS),
    "medlinecitationset": Kind("MEDLINE XML", _AS_JSONL, _TEXTS),
    "article": Kind("an article in JATS XML", _AS_JSONL, _TEXTS),
    "pmc-articleset": Kind("a set of articles in JATS XML", _AS_JSONL, _TEXTS),
    "tei": Kind("TEI XML", _AS_JSONL),
    "html": Kind("a web page (HTML)", _AS_TEXT, _WEB_PAGE),
    "svg": Kind("a picture (SVG)", _AS_TEXT),
    "rdf": Kind("OWL or RDF in XML", _ROBOT, _TO_OBO),
    "ontology": Kind("OWL in XML", _ROBOT, _TO_OBO),
    "descriptorrecordset": Kind("MeSH XML", _TERMINOLOGY),
    "supplementalrecordset": Kind("MeSH XML", _TERMINOLOGY),
    "claml": Kind("a classification in ClaML",
         "It is a terminology; write it as a table and compile that.",
         "Convert its classes to a table with the columns id, name, parents."),
    "clinicaldocument": Kind("a clinical document (HL7 CDA)", _AS_JSONL),
    "clinical_study": Kind("a record of ClinicalTrials.gov", _AS_JSONL),
    "gatedocument": Kind("GATE XML", "Export it as BRAT or JSON Lines."),
    "workbook": Kind("an Excel workbook in XML", _AS_CSV),
    "drugbank": Kind("DrugBank's full XML", _NO_TEXT, "Take DrugBank's open vocabulary (CSV), which linnet reads as a table."),
    "jdbor": Kind("Orphadata XML", _NO_TEXT, "Take ORDO as OBO or OBO Graphs JSON."),
    "cellosaurus": Kind("Cellosaurus in XML", _NO_TEXT, "Take cellosaurus.obo."),
    "rss": Kind("a news feed (RSS)", _AS_JSONL),
    "feed": Kind("a news feed (Atom)", _AS_JSONL),
}  # fmt: skip
_FHIR_XML = "http://hl7.org/fhir"
# {'text': …} and {text: …}, alone or in a list.
_LITERAL = r"\A\s*\[?\s*\{\s*(?:'[^'\n]{1,80}'|[A-Za-z_]\w{0,80})\s*:\s*(?:['\"\[{\d]|None|True|False|null|true|false)"
# Header lines, one of which only mail programs write: the body may be in base64, or in several parts.
_MAIL = (
    r"\A(?:[A-Za-z][\w-]{0,40}:(?: .*)?\n(?:[ \t].*\n)*){0,60}?"
    r"(?i:mime-version|content-transfer-encoding|content-type|received|message-id): "
)
# Comments and blank lines before the first line.
_COMMENTS = r"\A(?:\s*#.*\n)*\s*"
# Texts in a markup or format of their own, recognised by the beginning of a line.
_MARKUP: tuple[tuple[re.Pattern[str], Kind], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), kind)
    for pattern, kind in (
        (r"\A\s*<(?i:!doctype html|html|head|body)\b", Kind("a web page (HTML)", _AS_TEXT, _WEB_PAGE)),
        (_COMMENTS + r"(?i:@?prefix\s+\S*:|@?base)\s*<[^<>\s]*>", Kind("an ontology in Turtle", _ROBOT, _TO_OBO)),
        (_COMMENTS + r"(?:<[^<>\s]+>|_:\S+)\s+<[^<>\s]+>\s+(?:<|_:|\").*\.\s*$", Kind("RDF in N-Triples", _ROBOT, _TO_OBO)),
        (_COMMENTS + r"(?:Prefix\(\S*:?=<|Ontology\()", Kind("an ontology in OWL functional syntax", _ROBOT, _TO_OBO)),
        (_COMMENTS + r"(?:Prefix: \S*:? *<|Ontology: *<)", Kind("an ontology in Manchester syntax", _ROBOT, _TO_OBO)),
        (r"\A\s*format-version:\s|^\[Term\]\s*$", Kind("an ontology in OBO", _TERMINOLOGY)),
        (r"\A#FORMAT=WebAnno TSV [12]", Kind("WebAnno TSV before version 3",
             "Name a format that linnet reads, or export it as JSON Lines.")),
        (_LITERAL, Kind("an object of Python or JavaScript, not JSON", "Write it as JSON, e.g. with json.dumps() in Python.")),
        (_MAIL, Kind("an e-mail", _AS_TEXT)),
        (r"\A\s*TY  - [A-Z]", Kind("a RIS file of references", _AS_JSONL)),
        (r"\A\s*PMID- ?\d", Kind("a PubMed file of references (nbib, MEDLINE)", _AS_JSONL)),
        (r"\A\s*@(?:article|book|inproceedings|misc|comment)\s*\{", Kind("a BibTeX file of references", _AS_JSONL)),
        (r"\A%0 \S", Kind("an EndNote file of references", _AS_JSONL)),
        (r"\AFN \S.*\nVR \d", Kind("a Web of Science file of references", _AS_JSONL)),
        (r"\AMSH\|\^~\\&", Kind("a file of HL7 version 2 messages", _AS_JSONL)),
        (r"\A##fileformat=VCF", Kind("a VCF file of genetic variants", _NO_TEXT)),
        (r"\A##gff-version", Kind("a GFF file of genome annotations", _NO_TEXT)),
        (r"\A>\S.*\n[A-Za-z*-]{20,}\s*$", Kind("a FASTA file of sequences", _NO_TEXT)),
        (r"\A#\s*curie_map:|\A#\s*mapping_set_id:", Kind("an SSSOM file of mappings", "Use them in: linnet terminology merge --map FILE")),
        (r"\Aversion https://git-lfs\.github\.com/", Kind("a Git LFS pointer without the content of the file",
             "Run: git lfs pull", "Run: git lfs pull")),
        (r"\A\s*\*NEWRECORD\s*$", Kind("MeSH in ASCII",
             _NO_TEXT, "Take the XML of the same year: linnet terminology fetch mesh-descriptors")),
        (r"\A!g[ap][fp]?[ad]?-version", Kind("a file of GO annotations (GAF, GPAD)",
             _NO_TEXT, "It holds no names. Take the ontology it refers to, e.g. go.obo.")),
        (r"^ID   \S.*\nA[CS]   \S", Kind("a flat file of UniProt or Cellosaurus",
             _NO_TEXT, "Take OBO, or a table with the columns id, name, synonyms.")),
        (r"\A\s*\\documentclass|\A\s*\\begin\{document\}", Kind("LaTeX", _AS_TEXT)),
    )
)  # fmt: skip
# Corpus formats, which `kind_of` leaves to `linnet.corpora`: local names of XML roots, and beginnings of texts.
_CORPUS_ROOTS = {"xmi": "UIMA XMI", "collection": "BioC"}
_LABELS = r"(?:\S+[ \t]+)+[BIOES](?:-\S+)?"
_CORPORA = (
    (re.compile(_COMMENTS + r"[\w.-]+\|[ta]\|"), "PubTator"),
    (re.compile(_COMMENTS + rf"{_LABELS}\n\s*{_LABELS}$", re.MULTILINE), "CoNLL"),
    (re.compile(r"\A-?\d+\|\|\d+\|\d+\|\|"), "BioSyn's .concept files"),
)
_JSON_KEYS: tuple[tuple[str, Kind], ...] = (
    ("resourceType", Kind("FHIR JSON", "Compile a CodeSystem or ValueSet: linnet terminology build FILE -o DIR")),
    ("nbformat", Kind("a Jupyter notebook", _AS_TEXT)),
    ("graphs", Kind("an ontology in OBO Graphs JSON", _TERMINOLOGY)),
    ("@context", Kind("linked data (JSON-LD)", _AS_JSONL)),
    ("$schema", Kind("a JSON schema or a file that follows one", _AS_JSONL)),
    ("protocolSection", Kind("a record of ClinicalTrials.gov", _AS_JSONL)),
)  # fmt: skip

_ROOT = re.compile(
    r"(?:\s|<\?.*?\?>|<!--.*?-->|<!(?i:DOCTYPE)[^\[>]*(?:\[.*?\]\s*)?>)*<([A-Za-z][\w.:-]*)([^>]*)", re.DOTALL
)
# Control characters that are absent or very rare in texts; tabs, line ends, form feeds and escapes do occur.
CONTROL_CODES = (*range(0x07), *range(0x0E, 0x1B), *range(0x1C, 0x20))
_CONTROL = re.compile(b"[" + re.escape(bytes(CONTROL_CODES)) + b"]")
_FEW = 0.002  # share of them in a text with stray characters
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def kind_of(head: bytes) -> Kind | None:
    """The kind of a file that begins with these bytes; None for plain text, tables, and unknown JSON or XML.

    head  the first bytes, unpacked if linnet unpacks the file; a few thousand suffice for most kinds
    """
    binary = _binary(head)
    if binary:
        return binary
    encoding = "utf-16" if head.startswith(_UTF_16) else "utf-8-sig"
    text = head.decode(encoding, "replace")
    for pattern, kind in _MARKUP:
        if pattern.search(text):
            return kind
    start = text.lstrip()
    if start.startswith("<"):
        return _xml(start)
    if start.startswith(("{", "[")):
        return _json(start)
    return None


def corpus_kind(text: str) -> Kind | None:
    """The corpus format of a text that begins like this, if it cannot be a terminology."""
    name = _CORPUS_ROOTS.get(_local_root(text)) or next((n for p, n in _CORPORA if p.match(text)), None)
    return Kind(f"annotated text ({name})", "", _TEXTS) if name else None


def xml_root(text: str) -> str:
    """Name of the root element of XML or HTML, as written; "" without one."""
    root = _ROOT.match(text)
    return root[1] if root else ""


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins like this is Parquet, and not a text about the receptor PAR1."""
    return head.startswith(_PARQUET) and _not_text(head)


def _not_text(head: bytes) -> bool:
    return b"\x00" in head or len(_CONTROL.findall(head)) > _FEW * len(head)


def _binary(head: bytes) -> Kind | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        for inside, kind in _ZIPPED:
            if inside in head:
                return kind._replace(binary=True)
        return Kind("a zip archive", _UNPACK, binary=True)
    if unreadable := unreadable_kind(head):
        name, advice = unreadable
        return Kind(name, f"{advice}.", binary=True)
    for beginning, kind in _MAGIC:
        if head.startswith(beginning):
            return kind._replace(binary=True)
    if head[128:132] == b"DICM":
        return Kind("a medical image (DICOM)", _NAME_IT, _CHECK_PATH, binary=True)
    if head[:4] == b"RIFF":
        return Kind("a picture, sound or film (RIFF)", _NAME_IT, _CHECK_PATH, binary=True)
    if len(head) > 1 and head[0] == 0x80 and head[1] in range(2, 6):
        advice = "Write its content as JSON Lines, CSV or Parquet."
        return Kind("a Python pickle", advice, _PICKLED, binary=True)
    if head[:2] in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda") and _not_text(head):
        return _deflated(head)
    if head.startswith(_UTF_16) or not _not_text(head):
        return None
    for beginning, kind in _WORDS:
        if head.startswith(beginning):
            return kind._replace(binary=True)
    for first, encoding in ((1, "utf-16le"), (0, "utf-16be")):
        if (
            len(head) > 1
            and head[first::2].count(0) > max(1, 0.3 * len(head[first::2]))  # one is a stray NUL
            and not _CONTROL.search(head[1 - first :: 2])
        ):
            advice = f"Convert it: iconv -f {encoding} -t utf-8 FILE > NEW"
            return Kind("UTF-16 without a byte order mark", advice, binary=True)
    return Kind(
        "a binary file of an unknown kind",
        "If it is text, save it as UTF-8; else name the file with the texts.",
        "If it is text, save it as UTF-8; else name the file with the ids and names.",
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
            _TEXTS,
            binary=True,
        )
    return Kind("a file compressed with zlib", _UNPACK, binary=True)


def _xml(text: str) -> Kind | None:
    root = _ROOT.match(text)
    if root and _FHIR_XML in root[2]:
        return Kind("FHIR XML", "Export it as FHIR JSON.", "Get it as JSON (Accept: application/fhir+json).")
    return _ROOTS.get(_local_root(text))


def _local_root(text: str) -> str:
    """Name of the root element without its prefix, in lower case."""
    return xml_root(text).rpartition(":")[2].lower()


def _json(text: str) -> Kind | None:
    for key, kind in _JSON_KEYS:
        if re.search(rf'"{re.escape(key)}"\s*:', text[:4096]):
            return kind
    return None
