"""Routes whose JSON bodies must not have a key twice, see `linnet.unique_keys`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from linnet.unique_keys import loads

__all__ = ["JsonRoute"]


class _JsonRequest(Request):
    async def json(self) -> Any:
        """The body. Raises json.JSONDecodeError, which becomes a refusal."""
        return loads(await self.body())


class JsonRoute(APIRoute):
    """For `route_class` of a router."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with requests that check their bodies."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(_JsonRequest(request.scope, request.receive))

        return handle
