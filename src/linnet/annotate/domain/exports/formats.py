"""The corpus formats, for users to choose from."""

from __future__ import annotations

from typing import NamedTuple

from linnet import corpora

__all__ = ["ANNOTATION_TABLE", "FORMATS", "Format", "formats"]


class Format(NamedTuple):
    """A corpus format: whether it can be uploaded and exported, and the ending of its exported file."""

    name: str
    description: str
    reads: bool
    writes: bool
    ending: str


ANNOTATION_TABLE = "csv"
"""The format that only the annotation tool writes."""

# Description and file ending; folders are sent as archives.
FORMATS = {
    "pubtator": ("PubTator", "txt"),
    "bioc": ("BioC XML", "xml"),
    "biocjson": ("BioC JSON", "json"),
    "brat": ("BRAT standoff: .txt and .ann files", "zip"),
    "texoo": ("TeXoo JSON", "json"),
    "bigbio": ("BigBio JSON (knowledge-base schema)", "json"),
    "csv": ("CSV for spreadsheets, one annotation per line, with concept names, annotator and time", "csv"),
    "jsonl": ("JSON Lines, one document per line; loses nothing", "jsonl"),
    "mentions": ("JSON Lines, one mention per line", "jsonl"),
    "conll": ("CoNLL columns with BIO tags", "conll"),
    "table": ("CSV, TSV or Parquet, one name or text per line", "csv"),
    "text": ("Plain text, without annotations", "zip"),
    "doccano": ("Export of doccano", "jsonl"),
    "labelstudio": ("Export of Label Studio", "json"),
    "medcat": ("Export of MedCATtrainer", "json"),
    "prodigy": ("Export of Prodigy", "jsonl"),
    "pubannotation": ("PubAnnotation JSON", "json"),
    "spacy": ("spaCy training JSON", "json"),
    "uima": ("UIMA CAS XMI or JSON, as exported by INCEpTION", "xmi"),
    "webanno": ("WebAnno TSV 3, as exported by INCEpTION", "tsv"),
}


def formats() -> list[Format]:
    """All formats that `linnet.corpora` knows, and the table of annotations."""
    names = [*FORMATS, *sorted((corpora.readers.keys() | corpora.writers.keys()) - FORMATS.keys())]
    known = []
    for name in names:
        description, ending = FORMATS.get(name, (name, "txt"))
        reads, writes = name in corpora.readers, name in corpora.writers or name == ANNOTATION_TABLE
        known.append(Format(name, description, reads, writes, ending))
    return [format for format in known if format.reads or format.writes]
