"""The corpus formats, for people to choose from."""

from __future__ import annotations

from typing import NamedTuple

from linnet import corpora

__all__ = ["FORMATS", "FormatInfo", "formats"]


class FormatInfo(NamedTuple):
    """A format. folder: it is written as a folder, which is sent as a zip archive."""

    name: str
    description: str
    reads: bool
    writes: bool
    ending: str


# What each format is called, and how its file ends; folders are sent as archives.
FORMATS = {
    "pubtator": ("PubTator", "txt"),
    "bioc": ("BioC XML", "xml"),
    "biocjson": ("BioC JSON", "json"),
    "brat": ("BRAT standoff: .txt and .ann files", "zip"),
    "texoo": ("TeXoo JSON", "json"),
    "bigbio": ("BigBio JSON (knowledge-base schema)", "json"),
    "jsonl": ("JSON Lines, a document a line; loses nothing", "jsonl"),
    "mentions": ("JSON Lines, a mention a line", "jsonl"),
    "conll": ("CoNLL columns with BIO tags", "conll"),
    "table": ("CSV, TSV or Parquet", "csv"),
    "text": ("Plain text, without annotations", "zip"),
    "doccano": ("Export of doccano", "jsonl"),
    "labelstudio": ("Export of Label Studio", "json"),
    "medcat": ("Export of MedCATtrainer", "json"),
    "prodigy": ("Export of Prodigy", "jsonl"),
    "pubannotation": ("PubAnnotation JSON", "json"),
    "spacy": ("spaCy training JSON", "json"),
    "uima": ("UIMA CAS XMI or JSON, as of INCEpTION", "xmi"),
    "webanno": ("WebAnno TSV 3, as of INCEpTION", "tsv"),
}


def formats() -> list[FormatInfo]:
    """All formats that `linnet.corpora` knows."""
    names = [*FORMATS, *sorted((corpora.readers.keys() | corpora.writers.keys()) - FORMATS.keys())]
    return [
        FormatInfo(name, *_said(name, name in corpora.readers, name in corpora.writers))
        for name in names
        if name in corpora.readers or name in corpora.writers
    ]


def _said(name: str, reads: bool, writes: bool) -> tuple[str, bool, bool, str]:
    description, ending = FORMATS.get(name, (name, "txt"))
    return description, reads, writes, ending
