"""Attributes of mentions that a project defines."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, ConfigDict, Field, StrictBool, model_validator

from linnet.annotate.api.schemas.base import Body, Line, Reply
from linnet.annotate.domain.attributes import definitions

__all__ = ["Attribute", "Attributes", "AttributesSet", "Guess"]

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
        definitions.check(self.name, self.values, guess=self.guess)
        return self


def _distinct(attributes: list[Attribute]) -> list[Attribute]:
    definitions.check_distinct([(attribute.name, attribute.key) for attribute in attributes])
    return attributes


Attributes = Annotated[list[Attribute], Field(max_length=20), AfterValidator(_distinct)]
AttributesSet = Annotated[dict[_Short, StrictBool | _Short | None], Field(max_length=40)]
"""Attributes to change: true for a flag, a value for the others; false or null take it away."""


class Guess(Reply):
    """The attributes that a new annotation would get."""

    attributes: dict[str, bool | str]
