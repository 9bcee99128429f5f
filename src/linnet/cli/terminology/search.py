"""`linnet terminology search`: find concepts by words."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from linnet.cli.common_options import CompiledArgument
from linnet.cli.progress import note

__all__ = ["search"]


def search(
    dir: CompiledArgument,
    words: Annotated[list[str] | None, typer.Argument(help="Words, beginnings of words, or an id.")] = None,
    k: Annotated[int, typer.Option("--k", "-k", help="Concepts to show.", min=1, metavar="N")] = 10,
    types: Annotated[list[str] | None, typer.Option(help="Only concepts of these types.")] = None,
    sources: Annotated[list[str] | None, typer.Option(help="Only concepts from these vocabularies.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line instead.")] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild the search index.")] = False,
) -> None:
    """Find concepts by words, beginnings of words ("myocard inf"), or id; best first.

    Prints id, preferred name, matched name and types, separated by tabs. The first search builds an index.

    Examples:
      linnet terminology search mesh/ myocard inf
      linnet terminology search mesh/ MESH:D003924
      linnet terminology search umls/ cold --types T047 -k 3
    """
    from linnet.errors import RequestError
    from linnet.terminology import Terminology
    from linnet.terminology.search import SearchIndex

    terminology = Terminology.open(dir)
    if rebuild or not SearchIndex.exists(terminology):
        note("Building the search index; later searches use it.")
    index = SearchIndex.build(terminology) if rebuild else SearchIndex.open(terminology)
    if not words:
        if rebuild:
            return
        raise RequestError(f"Nothing to search for. Run: linnet terminology search {dir} WORDS")
    query = " ".join(words)
    hits = index.search(query, k=k, allowed=terminology.select(types=types, sources=sources))
    for hit in hits:
        id, name, matched = (
            terminology.ids[hit.concept],
            terminology.name(hit.concept),
            terminology.names[hit.name],
        )
        if as_json:
            record = {
                "concept": id,
                "name": name,
                "found": matched,
                "match": hit.match,
                "types": terminology.types(hit.concept),
                "definition": terminology.definition(hit.concept),
            }
            typer.echo(json.dumps(record, ensure_ascii=False))
        else:
            shown = (id, name, "" if matched == name else matched, ", ".join(terminology.types(hit.concept)))
            typer.echo("\t".join(shown).rstrip("\t"))
    if not hits:
        note(f"Nothing found for '{query}'. Try fewer words, or beginnings of words.")
