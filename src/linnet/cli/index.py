"""`linnet index`: build the retrieval indexes of a terminology."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.linking import ThreadsOption

__all__ = ["index"]


def index(
    terminology: Annotated[Path, typer.Argument(help="Compiled terminology.")],
    retriever: Annotated[
        str | None,
        typer.Option(
            help="Indexes to build, joined by commas: exact, sparse, char, word, bm25, dense. "
            "Those of the terminology's pipeline if left out.",
            metavar="NAMES",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Encoder of the dense index: a shipped one (ngram, ngram-mentions), a directory, or a name on Hugging Face. "
            "ngram if left out.",
            metavar="NAME",
        ),
    ] = None,
    dense: Annotated[
        str | None,
        typer.Option(
            help="Form of the dense index: flat (exact), hnsw or ivf. "
            "If left out: flat, or ivf above 200,000 distinct names; an update keeps the form it finds.",
            metavar="FORM",
        ),
    ] = None,
    glossary: Annotated[
        bool | None,
        typer.Option(
            "--glossary/--no-glossary",
            help="Compare words of one meaning as one (linnet's hand-written list: tumour, neoplasm) in every index that can, "
            "or in none. In exact look-up only if left out.",
        ),
    ] = None,
    update: Annotated[
        bool,
        typer.Option(
            "--update", help="Build only what is missing or out of date, and encode only names that are new."
        ),
    ] = False,
    since: Annotated[
        Path | None,
        typer.Option(
            help="An older release, indexed: the vectors of names it has are taken over.", metavar="DIR"
        ),
    ] = None,
    threads: ThreadsOption = None,
) -> None:
    """Build the indexes that `linnet link` searches.

    What is named becomes what linking against this terminology searches by default. Rebuilding some of the
    indexes that it searches already leaves that as it is.

    Examples:
      linnet index mesh/
      linnet index mesh/ --retriever exact,dense,sparse
      linnet index mesh/ --retriever exact,dense --encoder models/mine --dense hnsw
      linnet index mesh-2027/ --since mesh-2026/
    """
    from dataclasses import replace

    from linnet.cli.progress import building, note
    from linnet.errors import RequestError
    from linnet.link.indexing import build_indexes, build_name_features, store_pipeline
    from linnet.link.pipeline import Pipeline
    from linnet.retrieve.index import index_kind
    from linnet.terminology import Terminology

    opened = Terminology.open(terminology)
    pipeline = Pipeline.from_manifest(opened.pipeline)
    names = (
        tuple(name.strip() for name in retriever.split(",") if name.strip())
        if retriever
        else pipeline.retrievers
    )
    if retriever is not None and not names:
        raise RequestError("--retriever names nothing. Write for example: --retriever exact,dense")
    if encoder is not None and "dense" not in names:
        raise RequestError("--encoder is for the dense index. Add it: --retriever exact,dense")
    with building() as advanced:
        build_indexes(
            opened,
            names,
            encoder=encoder or pipeline.encoder,
            dense=dense,
            glossary=glossary,
            update=update,
            since=since,
            threads=threads,
            started=lambda name: note(f"Building {name} …"),
            progress=advanced,
        )
    build_name_features(
        opened,
        pipeline,
        update=update,
        threads=threads,
        started=lambda name: note("Taking the names apart for the reranker …"),
    )
    others = [name for name in pipeline.retrievers if name not in names]
    rebuilt = set(names) <= set(pipeline.retrievers) and all(index_kind(opened, name) for name in others)
    chosen = pipeline if rebuilt else replace(pipeline, retrievers=names)
    chosen = replace(
        chosen,
        encoder=encoder or pipeline.encoder,
        glossary=pipeline.glossary if glossary is None else glossary,
    )
    if chosen != pipeline:
        store_pipeline(opened, chosen)
    note(
        f"{terminology} is ready. Try: echo 'heart attack' | linnet link - --mentions --terminology {terminology}"
    )
