"""An MCP server: search, look up, link and annotate as tools of an assistant.

What a tool refuses comes back as a tool error, whose message says what to do instead. Nothing is written but the search index
of a terminology that has none, nothing is fetched, and texts go nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from linnet import __version__
from linnet.errors import LinnetError
from linnet.integrations.catalogue import Catalogue
from linnet.integrations.concept_messages import (
    Concept,
    Concepts,
    ConceptsOfId,
    Hit,
    Terminologies,
    TerminologyInfo,
    example_id,
)
from linnet.integrations.messages import (
    MOST_TEXT,
    Annotation,
    Found,
    GivenMention,
    LinkedMention,
    LinkedMentions,
)
from linnet.integrations.tools import StrictTool
from linnet.link import Linker
from linnet.types import Document

__all__ = ["create_server"]

_MOST_MENTIONS = 200
_MOST_CANDIDATES = 20
_MOST_HITS = 50

Shown = Annotated[int, Field(ge=0, le=_MOST_CANDIDATES, description="Candidates to show of each mention.")]
Types = Annotated[
    list[str] | None, Field(max_length=50, description="Only these semantic types, e.g. ['Disease'].")
]
FoundTypes = Annotated[
    list[str] | None,
    Field(max_length=50, description="Only names of these types, of the found_types of list_terminologies."),
]


def create_server(linker: Linker, *, catalogue: Catalogue | None = None) -> MCPServer:
    """A server whose tools ask the linker; `run()` of it serves standard input and output.

    catalogue  of the linker's targets, if it is open already

    Raises as `linnet.recognise.open_recogniser` where what finds mentions cannot be opened.
    """
    tools = _Tools(linker, catalogue or Catalogue(linker.group))
    names = ", ".join(f"{one.path.name} ({len(one):,} concepts)" for one in linker.terminologies)
    return MCPServer(
        "linnet",
        title="linnet",
        version=__version__,
        instructions=(
            f"Links names of diseases, drugs and phenotypes to concept ids of: {names}. Ids come from these tools, never from "
            "memory: link_mentions for names you have, annotate_text for names in a text, search_concepts to look around, "
            "get_concept for what an id means. An empty list of concepts means that nothing fits."
        ),
        log_level="WARNING",
        tools=[
            StrictTool.of(tools.search_concepts),
            StrictTool.of(tools.get_concept),
            StrictTool.of(tools.link_mentions),
            StrictTool.of(tools.annotate_text),
            StrictTool.of(tools.list_terminologies),
        ],
    )


class _Tools:
    """One method a tool; docstrings are what the model reads."""

    def __init__(self, linker: Linker, catalogue: Catalogue) -> None:
        self._linker, self._catalogue = linker, catalogue
        self._found_types = sorted(linker.recogniser.types)  # one that cannot be opened is said now

    def search_concepts(
        self,
        query: Annotated[
            str, Field(min_length=1, max_length=500, description="Words, beginnings of words, or an id.")
        ],
        limit: Annotated[int, Field(ge=1, le=_MOST_HITS, description="Concepts to show.")] = 10,
        types: Types = None,
    ) -> Concepts:
        """Find concepts by words of their names ("myocard inf"), or by id; best first.

        To decide what a name in a text means, use link_mentions instead: it knows abbreviations, spelling and context.
        """
        with _refusing():
            return Concepts(
                concepts=[Hit.of(one) for one in self._catalogue.search(query, k=limit, types=types)]
            )

    def get_concept(
        self, id: Annotated[str, Field(min_length=1, max_length=200, description="E.g. 'MESH:D003920'.")]
    ) -> ConceptsOfId:
        """What is known of a concept: names, definition, broader and narrower concepts, ids elsewhere.

        A retired id gives the concept, or concepts, that replaced it.
        """
        with _refusing():
            places = self._catalogue.get(id.strip())
            if not places:
                example = example_id(self._linker.terminologies[0])
                raise ToolError(
                    f"No concept has the id '{id}'. Ids look like {example}. Find one with search_concepts."
                )
            return ConceptsOfId(concepts=[Concept.of(place, asked=id.strip()) for place in places])

    def link_mentions(
        self,
        mentions: Annotated[list[GivenMention], Field(min_length=1, max_length=_MOST_MENTIONS)],
        candidates: Shown = 3,
    ) -> LinkedMentions:
        """Say which concept each name means: ids, preferred name, probability. One answer for each, in order.

        Give the text around a name where you have it: it resolves abbreviations and ambiguous names.
        """
        with _refusing():
            links = self._linker.link([one.mention() for one in mentions], k=max(candidates, 1))
            return LinkedMentions(mentions=[LinkedMention.of(link, shown=candidates) for link in links])

    def annotate_text(
        self,
        text: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)],
        types: FoundTypes = None,
        candidates: Shown = 0,
    ) -> Found:
        """Find the names of diseases, drugs and the like in a text, and say which concept each means.

        At most 20,000 characters; send a longer text in parts, each of whole paragraphs. Offsets count characters from 0.
        """
        with _refusing():
            done = self._linker.link_documents(
                [Document("", text)], recognise=True, k=max(candidates, 1), types=types
            )
            return Found(
                mentions=[Annotation.of(link, shown=candidates) for _, links in done for link in links]
            )

    def list_terminologies(self) -> Terminologies:
        """Which terminologies are linked against: size, semantic types, vocabularies, licences, digests to cite."""
        with _refusing():
            reranker = self._linker.reranking.reranker
            return Terminologies(
                terminologies=[TerminologyInfo.of(one) for one in self._linker.terminologies],
                linnet=__version__,
                reranker=f"{reranker.name} {reranker.digest}" if reranker else "none",
                found_types=self._found_types,
            )


@contextmanager
def _refusing() -> Iterator[None]:
    """What linnet refuses, as what the model may read; anything else is a fault of the server's own."""
    try:
        yield
    except LinnetError as error:
        raise ToolError(str(error)) from error
