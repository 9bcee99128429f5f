"""The corpus formats, for users to choose from."""

from __future__ import annotations

from typing import NamedTuple

from linnet import corpora

__all__ = ["FORMATS", "FormatInfo", "formats"]


class FormatInfo(NamedTuple):
    """A format. ending: of its exported file; "zip" for formats that are folders."""

    name: str
    description: str
    reads: bool
    writes: bool
    ending: str


# Description and file ending; folders are sent as archives.
FORMATS = {
    "pubtator": ("PubTator", "txt"),
    "bioc": ("BioC XML", "xml"),
    "biocjson": ("BioC JSON", "json"),
    "brat": ("BRAT standoff: .txt and .ann files", "zip"),
    "texoo": ("TeXoo JSON", "json"),
    "bigbio": ("BigBio JSON (knowledge-base schema)", "json"),
    "jsonl": ("JSON Lines, one document per line; loses nothing", "jsonl"),
    "mentions": ("JSON Lines, one mention per line", "jsonl"),
    "conll": ("CoNLL columns with BIO tags", "conll"),
    "table": ("CSV, TSV or Parquet", "csv"),
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


def formats() -> list[FormatInfo]:
    """All formats that `linnet.corpora` knows."""
    names = [*FORMATS, *sorted((corpora.readers.keys() | corpora.writers.keys()) - FORMATS.keys())]
    infos = []
    for name in names:
        description, ending = FORMATS.get(name, (name, "txt"))
        infos.append(FormatInfo(name, description, name in corpora.readers, name in corpora.writers, ending))
    return [info for info in infos if info.reads or info.writes]
