"""An MCP server, whose tools let an assistant search, look up, link and annotate.

Refused calls return a tool error with the next step. The server fetches nothing and sends texts nowhere; it writes only the
search index of a terminology that lacks one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BeforeValidator, Field

from linnet import __version__
from linnet.errors import LinnetError
from linnet.http.wording import in_service
from linnet.integrations.catalogue import Catalogue
from linnet.integrations.mcp_messages import (
    MAX_TEXT,
    Annotation,
    CheckedPair,
    CheckedPairs,
    Concept,
    Concepts,
    ConceptsOfId,
    Found,
    GivenMention,
    GivenPair,
    Hit,
    LinkedMention,
    LinkedMentions,
    Terminologies,
    TerminologyInfo,
    example_id,
)
from linnet.integrations.mcp_tools import StrictTool
from linnet.io.json_integers import integer_of
from linnet.link import Linker
from linnet.mapping.checking import check_pairs
from linnet.types import Document

__all__ = ["create_server"]

_MAX_MENTIONS = 200
_MAX_CANDIDATES = 20
_MAX_HITS = 50

Integer = Annotated[int, BeforeValidator(integer_of)]
Shown = Annotated[Integer, Field(ge=0, le=_MAX_CANDIDATES, description="Candidates to show of each mention.")]
Types = Annotated[
    list[str] | None, Field(max_length=50, description="Only these semantic types, e.g. ['Disease'].")
]
FoundTypes = Annotated[
    list[str] | None,
    Field(max_length=50, description="Only names of these types, of the found_types of list_terminologies."),
]


def create_server(linker: Linker, *, catalogue: Catalogue | None = None) -> MCPServer:
    """A server with tools that use the linker; its `run()` serves standard input and output.

    catalogue  of the linker's terminologies, if already open

    Raises as `linnet.recognise.open_recogniser` if the recogniser cannot be opened.
    """
    tools = _Tools(linker, catalogue or Catalogue(linker.group))
    names = ", ".join(f"{t.path.name} ({len(t):,} concepts)" for t in linker.terminologies)
    return MCPServer(
        "linnet",
        title="linnet",
        version=__version__,
        instructions=(
            f"Links names of diseases, drugs and phenotypes to concept ids of: {names}. Ids come from these tools, never from "
            "memory: link_mentions for names you have, annotate_text for names in a text, check_pairs for ids beside names, "
            "search_concepts to look around, get_concept for what an id means. An empty list of concepts means that nothing fits."
        ),
        log_level="WARNING",
        tools=[
            StrictTool.of(tools.search_concepts),
            StrictTool.of(tools.get_concept),
            StrictTool.of(tools.link_mentions),
            StrictTool.of(tools.annotate_text),
            StrictTool.of(tools.check_pairs),
            StrictTool.of(tools.list_terminologies),
        ],
    )


class _Tools:
    """One method per tool; models read the docstrings."""

    def __init__(self, linker: Linker, catalogue: Catalogue) -> None:
        self._linker, self._catalogue = linker, catalogue
        self._found_types = sorted(linker.recogniser.types)  # opens the recogniser, or fails now

    def search_concepts(
        self,
        query: Annotated[
            str, Field(min_length=1, max_length=500, description="Words, beginnings of words, or an id.")
        ],
        limit: Annotated[Integer, Field(ge=1, le=_MAX_HITS, description="Concepts to show.")] = 10,
        types: Types = None,
    ) -> Concepts:
        """Find concepts by words of their names ("myocard inf"), or by id; best first.

        To decide what a name in a text means, use link_mentions instead: it knows abbreviations, spelling and context.
        """
        with _refusing():
            matches = self._catalogue.search(query, k=limit, types=types)
            return Concepts(concepts=[Hit.of(match) for match in matches])

    def get_concept(
        self, id: Annotated[str, Field(min_length=1, max_length=200, description="E.g. 'MESH:D003920'.")]
    ) -> ConceptsOfId:
        """What is known of a concept: names, definition, broader and narrower concepts, ids elsewhere.

        A retired id gives the concept, or concepts, that replaced it.
        """
        with _refusing():
            matches = self._catalogue.get(id.strip())
            if not matches:
                example = example_id(self._linker.terminologies[0])
                raise ToolError(
                    f"No concept has the id '{id}'. Ids look like {example}. Find one with search_concepts."
                )
            return ConceptsOfId(concepts=[Concept.of(match, requested_id=id.strip()) for match in matches])

    def link_mentions(
        self,
        mentions: Annotated[list[GivenMention], Field(min_length=1, max_length=_MAX_MENTIONS)],
        candidates: Shown = 3,
    ) -> LinkedMentions:
        """Say which concept each name means: ids, preferred name, probability. One answer for each, in order.

        Give the text around a name where you have it: it resolves abbreviations and ambiguous names.
        """
        with _refusing():
            links = self._linker.link([given.mention() for given in mentions], k=max(candidates, 1))
            return LinkedMentions(mentions=[LinkedMention.of(link, shown=candidates) for link in links])

    def annotate_text(
        self,
        text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)],
        types: FoundTypes = None,
        candidates: Shown = 0,
    ) -> Found:
        """Find the names of diseases, drugs and the like in a text, and say which concept each means.

        At most 20,000 characters; send a longer text in parts, each of whole paragraphs. Offsets count characters from 0.
        """
        with _refusing():
            [(document, links)] = self._linker.link_documents(
                [Document("", text)], recognise=True, k=max(candidates, 1), types=types
            )
            return Found(
                text_kind=document.text_kind,
                mentions=[Annotation.of(link, shown=candidates) for link in links],
            )

    def check_pairs(
        self, pairs: Annotated[list[GivenPair], Field(min_length=1, max_length=_MAX_MENTIONS)]
    ) -> CheckedPairs:
        """Check that ids and the names written beside them belong together, before you hand them on. One answer for each, in order.

        Where a pair is wrong, nearest is the concept that the label means.
        """
        with _refusing():
            checked = check_pairs([(pair.id, pair.label) for pair in pairs], self._linker)
            return CheckedPairs(pairs=[CheckedPair(**pair._asdict()) for pair in checked])

    def list_terminologies(self) -> Terminologies:
        """Which terminologies are linked against: size, semantic types, vocabularies, licences, digests to cite."""
        with _refusing():
            reranker = self._linker.reranking.reranker
            return Terminologies(
                terminologies=[TerminologyInfo.of(terminology) for terminology in self._linker.terminologies],
                linnet=__version__,
                reranker=f"{reranker.name} {reranker.digest}" if reranker else "none",
                found_types=self._found_types,
            )


@contextmanager
def _refusing() -> Iterator[None]:
    """Turns linnet's errors into tool errors, which models may read; other errors are faults of the server."""
    try:
        yield
    except LinnetError as error:
        raise ToolError(in_service(error)) from error
