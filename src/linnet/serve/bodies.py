"""The bodies of requests: what is asked for, with the limits that do not depend on settings."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["AnnotateRequest", "LinkRequest", "MentionIn", "TextIn"]

_ID = 500  # characters of an id
_MENTION = 1000  # characters of a mention; the longest name of UMLS has some 3,000, and nobody writes it

Id = Annotated[str, Field(max_length=_ID)]


class _Body(BaseModel):
    """Of a request: a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid")


class _Line(BaseModel):
    """In the mention format, or a document: fields that are not known are passed over, numbers taken for strings."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class MentionIn(_Line):
    """A mention to link.

    id        as it comes back; its place in the request where there is none
    left      what stands before it, right: after it
    document  mentions of one document share the abbreviations that any of their contexts defines
    """

    id: Id = ""
    text: str = Field(min_length=1, max_length=_MENTION, pattern=r"\S", examples=["heart attack"])
    left: str = ""
    right: str = ""
    document: Id = ""
    type: Id = ""


class TextIn(_Line):
    """A text to annotate."""

    id: Id = ""
    text: str = Field(min_length=1, pattern=r"\S", examples=["Patients with AT developed breast cancer."])


class LinkRequest(_Body):
    """Mentions to link. k: candidates of each."""

    mentions: list[MentionIn] = Field(min_length=1)
    k: int = Field(default=5, ge=1, le=1000)


class AnnotateRequest(_Body):
    """A text whose mentions are to be found and linked. types: keep mentions of these."""

    text: str = Field(min_length=1, pattern=r"\S", examples=["Patients with AT developed breast cancer."])
    id: Id = ""
    k: int = Field(default=5, ge=1, le=1000)
    types: list[Id] | None = Field(default=None, max_length=100)
