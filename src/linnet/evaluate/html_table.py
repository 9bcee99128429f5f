"""HTML for tables and concepts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["concepts", "table"]


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, numeric: Sequence[int] = (), style: str = ""
) -> str:
    """A table that scrolls on its own if it is too wide for the page; the first cell heads its row.

    head, rows  cells as HTML
    numeric     right-aligned columns
    style       "narrow", "wide" or ""
    """

    def cell(position: int, text: str) -> str:
        kind = ' class="num"' if position in numeric else ""
        return f'<th scope="row"{kind}>{text}</th>' if position == 0 else f"<td{kind}>{text}</td>"

    titles = "".join(
        f'<th scope="col"{" class=num" if i in numeric else ""}>{text}</th>' for i, text in enumerate(head)
    )
    top = f"<thead><tr>{titles}</tr></thead>" if any(head) else ""
    body = "".join(f"<tr>{''.join(cell(i, text) for i, text in enumerate(row))}</tr>" for row in rows)
    outer, inner = ("scroll narrow", "") if style == "narrow" else ("scroll", style)
    inside = f'<table class="{inner}">{top}<tbody>{body}</tbody></table>'
    return f'<div class="{outer}" tabindex="0" role="region" aria-label="table">{inside}</div>'


def concepts(ids: Sequence[str], names: Sequence[str]) -> str:
    """Names with their ids, one per line; "NIL" for none."""
    if not ids:
        return '<span class="soft">NIL</span>'
    return "<br>".join(
        f'{escape(name)} <span class="id">{escape(id)}</span>'
        if name
        else f'<span class="id">{escape(id)}</span>'
        for id, name in zip(ids, names, strict=True)
    )
