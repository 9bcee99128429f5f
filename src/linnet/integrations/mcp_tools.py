"""MCP tools whose errors explain what is wrong with a call."""

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
_MAX_FAULTS = 5  # listed in an error


class StrictTool(Tool):
    """A read-only tool that refuses unknown arguments, as a misspelt one would otherwise be ignored."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """The tool for a function; models read its docstring."""
        tool = cls.from_function(function, description=getdoc(function), annotations=_READS)
        arguments = tool.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        return tool.model_copy(update={"parameters": arguments.model_json_schema(by_alias=True)})  # type: ignore[return-value]

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        """As in `Tool`, with better messages for invalid arguments."""
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            sentences = [self._explained(f["type"], f["loc"], f["msg"]) for f in faults[:_MAX_FAULTS]]
            more = f" And {len(faults) - _MAX_FAULTS:,} more." if len(faults) > _MAX_FAULTS else ""
            raise ToolError(f"{' '.join(sentences)}{more} Correct it and call {self.name} again.") from None
        return await super().run(arguments, context, convert_result)

    def _explained(self, kind: str, place: tuple[int | str, ...], message: str) -> str:
        """A sentence about an invalid argument."""
        where = ".".join(map(str, place)) or "The arguments"
        names = self._names(place)
        if kind == "extra_forbidden":
            near = get_close_matches(str(place[-1]), names, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            return f"There is no argument '{where}'.{hint} Arguments: {', '.join(names)}."
        if kind == "missing":
            return f"The argument '{where}' is missing."
        if kind in ("model_type", "model_attributes_type", "dataclass_type"):
            return f"{where}: expected an object with {', '.join(self._names((*place, '')))}."
        return f"{where}: {message.removeprefix('Value error, ')}."

    def _names(self, place: tuple[int | str, ...]) -> list[str]:
        """The valid names for the last step of a place."""
        schema = self.parameters
        for step in place[:-1]:
            schema = schema["items"] if isinstance(step, int) else schema["properties"][step]
            if "$ref" in schema:
                schema = self.parameters["$defs"][schema["$ref"].rpartition("/")[2]]
        return list(schema.get("properties", ()))
