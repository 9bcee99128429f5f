"""Attributes of mentions that a project defines."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, ConfigDict, Field, StrictBool, model_validator

from linnet.annotate.api.schemas.base import Body, Line, Reply
from linnet.annotate.domain.attributes.definitions import BUILT_IN

__all__ = ["Attribute", "AttributeUse", "Attributes", "AttributesSet", "Guess"]

_TAKEN = frozenset(
    {
        "id",
        "document",
        "start",
        "end",
        "text",
        "type",
        "concepts",
        "concept",
        "identifier",
        "source",
        "confidence",
        "extra",
    }
)
_Short = Annotated[Line, Field(max_length=50)]


class Attribute(Body):
    """An attribute of mentions."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    name: _Short
    values: Annotated[list[_Short], Field(max_length=20)] = Field(default_factory=list)
    key: Annotated[str, Field(pattern=r"^[A-Z]?$")] = ""
    guess: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.name.casefold() in _TAKEN:
            raise ValueError(f"'{self.name}' has another meaning in export formats; choose another name")
        if len(self.values) == 1:
            raise ValueError(f"'{self.name}' has one value; give 2 to 20, or none for a flag")
        if len({value.casefold() for value in self.values}) < len(self.values):
            raise ValueError(f"'{self.name}' has a value twice")
        if self.guess and (self.name not in BUILT_IN or self.values):
            raise ValueError(f"only the flags {', '.join(BUILT_IN)} can be guessed; '{self.name}' cannot")
        return self


def _distinct(attributes: list[Attribute]) -> list[Attribute]:
    names = [attribute.name.casefold() for attribute in attributes]
    keys = [attribute.key for attribute in attributes if attribute.key]
    for what, items in (("name", names), ("key", keys)):
        if repeated := next((item for item in items if items.count(item) > 1), None):
            raise ValueError(f"two attributes have the {what} '{repeated}'")
    return attributes


Attributes = Annotated[list[Attribute], Field(max_length=20), AfterValidator(_distinct)]
AttributesSet = Annotated[dict[_Short, StrictBool | _Short | None], Field(max_length=40)]
"""Attributes to change: true for a flag, a value for the others; false or null take it away."""


class AttributeUse(Reply):
    """How many annotations on any sheet have an attribute. value: "" for a flag."""

    name: str
    value: str
    annotations: int
    predicted: int


class Guess(Reply):
    """The attributes that a new annotation would get."""

    attributes: dict[str, bool | str]
