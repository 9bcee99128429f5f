"""Types that all bodies share: no unknown fields, and no characters that databases or files cannot hold."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Self, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, create_model

from linnet.annotate.api.schemas.described import Described
from linnet.annotate.domain.accounts.names import LONGEST, account_name
from linnet.annotate.store.columns import LARGEST, unstorable
from linnet.io.json_integers import refuse_boolean

__all__ = [
    "NO_BOOLEAN",
    "Body",
    "ConceptId",
    "Cursor",
    "Id",
    "Label",
    "Line",
    "Name",
    "Offset",
    "Page",
    "Password",
    "Reply",
    "Secret",
    "ShortLine",
    "Text",
    "reply",
]


def _storable(text: str) -> str:
    if character := unstorable(text):
        raise ValueError(f"must not contain {character}")
    return text


def _one_line_or_none(text: str) -> str:
    return _one_line(text) if text else ""


def _one_line(text: str) -> str:
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ValueError("must not contain control characters")
    if not (text := text.strip()):
        raise ValueError("must not be blank")
    return text


NO_BOOLEAN = BeforeValidator(refuse_boolean)
"""After the bounds of an integer: pydantic leaves bounds that come after it out of the schema."""
Id = Annotated[int, Field(ge=1, le=LARGEST), NO_BOOLEAN]
Offset = Annotated[int, Field(ge=0, le=LARGEST), NO_BOOLEAN]
Cursor = Annotated[str, Field(pattern=r"^\d{1,9}\.\d{1,9}\.\d{1,10}$", examples=["1496.1501.101"])]
"""End of a page of annotations: start, end and id of the last one."""
Text = Annotated[str, AfterValidator(_storable)]
Line = Annotated[
    str, Field(min_length=1, max_length=200), AfterValidator(_storable), AfterValidator(_one_line)
]
Label = Annotated[str, Field(max_length=200), AfterValidator(_storable), AfterValidator(_one_line_or_none)]
"""Type of a mention; "" if unknown."""
Name = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST, examples=["ada", "Müller", "田中"]),
    AfterValidator(_storable),
    AfterValidator(account_name),
]
"""Account name: letters and digits of any script, `.`, `_`, `@`, `-`; case does not matter."""
Password = Annotated[str, Field(min_length=10, max_length=1000), AfterValidator(_storable)]
ShortLine = Annotated[
    str, Field(min_length=1, max_length=64), AfterValidator(_storable), AfterValidator(_one_line)
]
Secret = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_storable)]
ConceptId = Annotated[
    str,
    Field(min_length=1, max_length=200, examples=["MESH:D003920"]),
    AfterValidator(_storable),
    AfterValidator(_one_line),
]


class Body(Described):
    """Body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)


class Reply(Described):
    """Body of a response."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, row: object, **others: Any) -> Self:
        """The reply with the attributes of a row, and `others` instead of those of the same names."""
        names = cls.model_fields.keys() - others.keys()
        return cls(**{name: getattr(row, name) for name in names}, **others)


def reply(kind: Any) -> Any:
    """The schema of a named tuple or dataclass of the domain, or of a list of such: the same names, defaults and docstring."""
    if get_origin(kind) is list:
        return list[reply(get_args(kind)[0])]  # type: ignore[misc]
    return _model(kind) if is_dataclass(kind) or hasattr(kind, "_fields") else kind


@cache
def _model(kind: Any) -> type[Reply]:
    hints, columns = get_type_hints(kind), {}
    if is_dataclass(kind):
        for each in fields(kind):
            factory = each.default_factory
            default = Field(default_factory=factory) if factory is not MISSING else each.default
            columns[each.name] = ... if default is MISSING else default
    else:
        columns = {name: kind._field_defaults.get(name, ...) for name in kind._fields}
    shown: Any = {name: (reply(hints[name]), value) for name, value in columns.items() if name[0] != "_"}
    return create_model(kind.__name__, __base__=Reply, __doc__=kind.__doc__, **shown)


class Page(Reply):
    """A page of a list: `total` entries, of which this has those from `offset` on."""

    total: int
    offset: int
