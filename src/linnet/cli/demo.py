"""`linnet demo`: something to see before anything is fetched."""

from __future__ import annotations

__all__ = ["demo"]


def demo() -> None:
    """Link a packaged abstract with the packaged starter terminology and show what was found.

    Examples:
      linnet demo
    """
    from rich.console import Console
    from rich.table import Table

    import linnet
    from linnet import samples

    linker = linnet.starter()
    [linked] = linker.link_documents(samples.documents()[:1], recognise=True)
    console = Console(highlight=False)
    console.print(linked.document.text, style="dim", soft_wrap=True)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("Mention", "Concept", "Name", "Found as"):
        table.add_column(column, overflow="fold")
    for link in linked.links:
        for part in link.parts or (link,):
            best = part.candidates[0] if part.candidates else None
            shown = f"{link.mention.text} → {part.mention.text}" if link.parts else link.mention.text
            table.add_row(
                shown,
                ", ".join(part.concepts) or "NIL",
                part.name,
                f"{best.name} ({best.origin})" if best else "",
            )
    console.print()
    console.print(table)
    console.print()
    console.print("An invented abstract, linked with the packaged starter terminology. Next, a real one:")
    console.print("  linnet terminology fetch mesh-descriptors")
    console.print("  linnet terminology build desc2026.gz -o mesh/ && linnet index mesh/")
    console.print('  echo "heart attack" | linnet link - --terminology mesh/')
