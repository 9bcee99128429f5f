"""Tools of an assistant that say in words what is wrong with a call."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from inspect import getdoc
from typing import Any, Self

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import ValidationError

__all__ = ["StrictTool"]

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_MOST = 5  # arguments whose faults are told


class StrictTool(Tool):
    """A tool that only reads, and refuses arguments it does not have: a misspelt one must not pass for one left out."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """The tool of a function, whose docstring is what a model reads."""
        tool = cls.from_function(function, description=getdoc(function), annotations=_READS)
        arguments = tool.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        return tool.model_copy(update={"parameters": arguments.model_json_schema(by_alias=True)})  # type: ignore[return-value]

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        """As any tool's, but for what is said of arguments that do not fit."""
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            said = [self._said(fault["type"], fault["loc"], fault["msg"]) for fault in faults[:_MOST]]
            more = f" And {len(faults) - _MOST:,} more." if len(faults) > _MOST else ""
            raise ToolError(f"{' '.join(said)}{more} Correct it and call {self.name} again.") from None
        return await super().run(arguments, context, convert_result)

    def _said(self, kind: str, place: tuple[int | str, ...], message: str) -> str:
        """What is wrong with an argument, as a sentence."""
        where = ".".join(map(str, place)) or "The arguments"
        names = self._names(place)
        if kind == "extra_forbidden":
            near = get_close_matches(str(place[-1]), names, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            return f"There is no argument '{where}'.{hint} There are: {', '.join(names)}."
        if kind == "missing":
            return f"The argument '{where}' is missing."
        if kind in ("model_type", "model_attributes_type", "dataclass_type"):
            return f"{where}: expected an object with {', '.join(self._names((*place, '')))}."
        return f"{where}: {message}."

    def _names(self, place: tuple[int | str, ...]) -> list[str]:
        """The names that the last of a place may have."""
        schema = self.parameters
        for step in place[:-1]:
            schema = schema["items"] if isinstance(step, int) else schema["properties"][step]
            if "$ref" in schema:
                schema = self.parameters["$defs"][schema["$ref"].rpartition("/")[2]]
        return list(schema.get("properties", ()))
