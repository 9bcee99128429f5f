"""`linnet index`: build the retrieval indexes of a terminology."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.linking_options import ThreadsOption
from linnet.cli.panels import linking_option, running_option
from linnet.cli.raw_arguments import names_in

__all__ = ["index"]


def index(
    terminology: Annotated[Path, typer.Argument(help="Compiled terminology.")],
    retriever: Annotated[
        str | None,
        linking_option(
            help="Indexes to build, joined by commas: exact, sparse, char, word, bm25, dense, entities. "
            "Default: those of the terminology's pipeline.",
            metavar="NAMES",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        linking_option(
            help="Encoder of the dense index: ngram, a directory, or a name on Hugging Face; "
            "default: ngram. With the directory of a two-tower model, the index entities is built in place of dense.",
            metavar="NAME",
        ),
    ] = None,
    dense: Annotated[
        str | None,
        linking_option(
            help="Form of the dense or entities index: flat (exact), hnsw, or (dense only) ivf. Default: flat; above 200,000 distinct "
            "names ivf, above 200,000 entities hnsw; an update keeps the form.",
            metavar="FORM",
        ),
    ] = None,
    glossary: Annotated[
        bool | None,
        linking_option(
            "--glossary/--no-glossary",
            help="Treat words with the same meaning (linnet's hand-written list: tumour, neoplasm) as equal, in every index that can, "
            "or in none. Default: in exact look-up only.",
        ),
    ] = None,
    reranker: Annotated[
        str | None,
        linking_option(
            help="Default reranker of this terminology from now on: context, accurate, strengths, a directory, or none. The index that it "
            "searches is built too.",
            metavar="NAME",
        ),
    ] = None,
    pipeline: Annotated[
        str | None,
        linking_option(
            help="Also build the indexes that this pipeline searches (accurate, or a TOML file), without making it the default.",
            metavar="NAME|FILE.toml",
        ),
    ] = None,
    update: Annotated[
        bool,
        running_option(
            "--update",
            help="Build only what is missing or out of date, and encode only new names or entities.",
        ),
    ] = False,
    since: Annotated[
        Path | None,
        running_option(help="Indexed older release whose vectors are reused.", metavar="DIR"),
    ] = None,
    threads: ThreadsOption = None,
) -> None:
    """Build the indexes that `linnet link` searches.

    Linking then searches the named indexes by default in this terminology. If you rebuild only some of the indexes that it
    already searches, the others stay in use.

    Examples:
      linnet index mesh/
      linnet index mesh/ --retriever exact,dense,sparse
      linnet index mesh/ --retriever exact,dense --encoder models/mine --dense hnsw
      linnet index mesh/ --encoder models/two-tower
      linnet index mesh/ --pipeline accurate --update
      linnet index mesh-2027/ --since mesh-2026/
    """
    from linnet.cli.progress import building, note
    from linnet.link.indexing import index_terminology
    from linnet.link.linker_config import STARTER
    from linnet.terminology import Terminology

    def started(name: str) -> None:
        note("Splitting names for the reranker …" if name == "parts" else f"Building {name} …")

    try:
        with building() as advanced:
            index_terminology(
                Terminology.open(terminology),
                retrievers=None if retriever is None else names_in(retriever),
                encoder=encoder,
                dense=dense,
                glossary=glossary,
                reranker=reranker,
                pipeline=pipeline,
                update=update,
                since=since,
                threads=threads,
                started=started,
                progress=advanced,
            )
    except KeyboardInterrupt:
        note("Vectors that are finished are kept: the same command goes on with them.")
        raise
    shown = f"./{terminology}" if str(terminology) == STARTER else terminology
    by = "" if pipeline is None else f" --pipeline {pipeline}"
    note(
        f"{terminology} is ready. Try: echo 'heart attack' | linnet link - --mentions --terminology {shown}{by}"
    )
