"""`linnet terminology augment`: corpus mentions become names of their concepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linnet.cli.common_options import compiled
from linnet.cli.corpora import CorpusOptions
from linnet.cli.progress import counting, note
from linnet.corpora.size import document_count
from linnet.plural import counted

if TYPE_CHECKING:
    from linnet.errors import DataError
    from linnet.types import Document

__all__ = ["augment"]

# Unknown ids that are shown; the others are only counted.
_SHOWN = 5


def augment(
    dir: Annotated[Path, typer.Argument(help="Terminology to add names to.", parser=compiled)],
    *,
    corpus: Annotated[
        list[Path], typer.Option(help="Annotated files: PubTator, BioC, BRAT, TeXoo, JSON Lines.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory to write.", metavar="DIR")],
    corpus_format: Annotated[
        str | None,
        typer.Option(
            help="Format of the corpus files; default: detected from their content.", metavar="NAME"
        ),
    ] = None,
    types: Annotated[list[str] | None, typer.Option(help="Only mentions of these types (Disease).")] = None,
    abbreviations: Annotated[
        bool, typer.Option(help="Also add mentions with the abbreviations of their document spelt out.")
    ] = True,
    corpus_options: CorpusOptions,
) -> None:
    """Add a corpus's mentions as names of their concepts.

    A mention of several concepts adds each of its parts to the part's concept if the corpus marks the parts, and nothing
    otherwise. Use training data: results on a corpus that the terminology was augmented with mean nothing.

    Examples:
      linnet terminology augment medic/ --corpus NCBItrainset_corpus.txt -o medic-ncbi/
      linnet terminology augment mesh/ --corpus CDR_Training.PubTator.txt --types Chemical -o mesh-cdr/
      linnet terminology augment snomed/ --corpus phrases.tsv --column phrase --concept-column concept -o snomed-plus/
    """
    from linnet.cli.terminology.summary import show
    from linnet.evaluate.augmentation import augmentation_pairs, check_pairs
    from linnet.read.abbreviations import spelt_out
    from linnet.terminology import Terminology, write_terminology
    from linnet.terminology.augment import augment as add_names
    from linnet.terminology.build import source_record

    terminology = Terminology.open(dir)
    skipped: list[DataError] = []
    documents = _documents(corpus, corpus_format, corpus_options, skipped)
    pairs = augmentation_pairs(documents, types=types or (), expand=spelt_out if abbreviations else None)
    check_pairs(
        pairs,
        terminology,
        whose=", ".join(path.name for path in corpus),
        allow_missing=corpus_options.allow_missing,
    )
    augmented = add_names(terminology, pairs)
    sources = [*terminology.manifest["sources"], *(source_record(path, format="corpus") for path in corpus)]
    built = write_terminology(augmented, output, sources=sources, pipeline=terminology.pipeline)
    note(f"Added {counted(augmented.added, 'names')}; {augmented.known:,} were there already.")
    if augmented.unknown:
        first = ", ".join(list(augmented.unknown)[:_SHOWN])
        more = ", …" if len(augmented.unknown) > _SHOWN else ""
        note(
            f"Left out {counted(sum(augmented.unknown.values()), 'names')} of {counted(len(augmented.unknown), 'ids')} that {dir} does "
            f"not have: {first}{more}"
        )
    if skipped:
        note(
            f"Skipped {counted(len(skipped), 'malformed parts')} of the corpus; the first: {skipped[0].happened}"
        )
    show(built)


def _documents(
    paths: Sequence[Path], format: str | None, options: CorpusOptions, skipped: list[DataError]
) -> Iterator[Document]:
    from linnet import corpora

    for path in paths:
        notes = corpora.Notes()
        documents = corpora.read(
            path,
            format=format,
            annotated=True,
            on_error=options.on_error.value,
            report=skipped.append,
            note=notes.add,
            **options.columns(),
        )
        yield from counting(documents, f"Reading {path.name}", total=document_count(path))
        for line in notes.lines():
            note(f"{path.name}: {line}.")
