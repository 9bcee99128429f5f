"""How large a mention or a text may be."""

from __future__ import annotations

from linnet.serve.bodies import MentionIn, TextIn
from linnet.serve.refusals import TooLarge
from linnet.serve.settings import Limits

__all__ = ["refused_size"]


def refused_size(item: MentionIn | TextIn, limits: Limits) -> TooLarge | None:
    """Why it is not taken; None where it is."""
    if isinstance(item, TextIn):
        what, size, advice = "The text", len(item.text), "Divide it, between paragraphs."
    else:
        what, size = f"What stands around '{item.text[:50]}'", len(item.left) + len(item.right)
        advice = "Send less of it: the paragraph, or where its abbreviations are defined."
    if size <= limits.text:
        return None
    return TooLarge(
        f"{what} has {size:,} characters.", expected=f"At most {limits.text:,} are taken.", advice=advice
    )
