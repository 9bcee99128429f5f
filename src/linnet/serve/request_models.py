"""The bodies of requests, with their limits."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from linnet.http.refusals import TooLarge
from linnet.io.json_integers import integer_of
from linnet.serve.settings import Limits

__all__ = ["AnnotateRequest", "LinkRequest", "MentionIn", "TextIn", "size_refusal"]

_ID = 500  # characters of an id
_MENTION = 1000  # characters of a mention; longer names, up to 3,000 in UMLS, do not occur in texts

Id = Annotated[str, Field(max_length=_ID)]
Count = Annotated[int, BeforeValidator(integer_of), Field(ge=1, le=1000)]


class _Body(BaseModel):
    """The body of a request: an unknown field is refused."""

    model_config = ConfigDict(extra="forbid")


class _Record(BaseModel):
    """A mention or document: unknown fields are ignored, numbers are read as strings."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class MentionIn(_Record):
    """A mention to link. A blank text names nothing: the answer has no concept.

    id        as the answer repeats it; without one, the place of the mention in the request
    left      the text before it, right: after it
    document  mentions of one document share the abbreviations that any of their contexts defines
    """

    id: Id = ""
    text: str = Field(max_length=_MENTION, examples=["heart attack"])
    left: str = ""
    right: str = ""
    document: Id = ""
    type: Id = ""


class TextIn(_Record):
    """A text to annotate."""

    id: Id = ""
    text: str = Field(min_length=1, pattern=r"\S", examples=["Patients with AT developed breast cancer."])


class LinkRequest(_Body):
    """Mentions to link. k: candidates of each."""

    mentions: list[MentionIn] = Field(min_length=1)
    k: Count = 5


class AnnotateRequest(_Body):
    """A text whose mentions are found and linked. types: keep mentions of these types."""

    text: str = Field(min_length=1, pattern=r"\S", examples=["Patients with AT developed breast cancer."])
    id: Id = ""
    k: Count = 5
    types: list[Id] | None = Field(default=None, max_length=100)


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
