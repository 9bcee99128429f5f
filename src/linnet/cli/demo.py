"""`linnet demo`: linking that needs no download."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linnet.types import Link

__all__ = ["demo"]

_NEXT = """\
An invented abstract, linked with the packaged starter terminology.
Next, a real one:
  linnet terminology fetch mesh-descriptors
  linnet terminology build desc2026.gz -o mesh/ && linnet index mesh/
  echo "heart attack" | linnet link - --terminology mesh/"""


def demo() -> None:
    """Link a packaged abstract with the packaged starter terminology and show the links.

    Examples:
      linnet demo
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    import linnet
    from linnet import samples

    [linked] = linnet.starter().link_documents(samples.documents()[:1], recognise=True)
    text = Text(linked.document.text)
    for mention in linked.document.mentions:
        text.stylize("bold cyan", mention.start, mention.end)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("Mention", overflow="fold")
    table.add_column("Concept", no_wrap=True)
    table.add_column("Name (and the name that matched)", overflow="fold")
    for row in _rows(linked.links):
        table.add_row(*row)
    console = Console(highlight=False, markup=False)
    for part in (text, "", table, ""):
        console.print(part)
    console.print(_NEXT, soft_wrap=True)


def _rows(links: Sequence[Link]) -> Iterator[tuple[str, str, str]]:
    """(mention, concept, name) of each distinct mention; the parts of a composite follow it."""
    seen: set[str] = set()
    for link in links:
        if link.mention.text in seen:
            continue
        seen.add(link.mention.text)
        if not link.parts:
            yield link.mention.text, *_answer(link)
            continue
        yield link.mention.text, "", ""
        for part in link.parts:
            yield f"  {part.mention.text}", *_answer(part)


def _answer(link: Link) -> tuple[str, str]:
    if not link.concepts:
        return "NIL", ""
    matched = link.candidates[0].name
    shown = {link.name.casefold(), link.mention.text.casefold()}
    return ", ".join(link.concepts), link.name if matched.casefold() in shown else f"{link.name} ({matched})"
