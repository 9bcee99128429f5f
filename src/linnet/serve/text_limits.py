"""Limits on the size of a mention's context and of a text."""

from __future__ import annotations

from linnet.http.refusals import TooLarge
from linnet.serve.request_models import MentionIn, TextIn
from linnet.serve.settings import Limits

__all__ = ["size_refusal"]


def size_refusal(item: MentionIn | TextIn, limits: Limits) -> TooLarge | None:
    """The refusal of an item that is too large; None for others."""
    if isinstance(item, TextIn):
        what, size, advice = "The text", len(item.text), "Divide it, between paragraphs."
    else:
        what, size = f"The context of '{item.text[:50]}'", len(item.left) + len(item.right)
        advice = "Send less of it: its paragraph, or the text that defines its abbreviations."
    if size <= limits.text:
        return None
    return TooLarge(
        f"{what} has {size:,} characters.", expected=f"Expected at most {limits.text:,}.", next_step=advice
    )
