"""Checks on every request before it is answered: host name, API key, number of requests at once, size and time.

The body is read here, within its size and time; a client that disconnects cancels its request. The bodies of batches pass
unread. Pure ASGI, so that streams pass through.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linnet.advice import Step
from linnet.http.guards import check_host
from linnet.http.refusals import Busy, Refusal, Unauthorised, WrongFormat
from linnet.serve.admission import Admission
from linnet.serve.dependencies import Service
from linnet.serve.keys import KeyRing
from linnet.serve.problems import failed, response_of
from linnet.serve.request_body import read_body
from linnet.serve.settings import Settings
from linnet.serve.timeouts import Disconnected, answer_in_time

__all__ = ["Middleware"]

_LOG = logging.getLogger("linnet.serve")
_BATCHES = "/v1/batch/"
# Answered even if the server is at its limit.
_ALWAYS = frozenset({"/health", "/ready", "/metrics"})
# Answered without a key.
_OPEN = frozenset({"/health", "/ready", "/openapi.json", "/docs", "/docs.css"})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Middleware:
    """The application behind its checks."""

    def __init__(self, app: ASGIApp, *, settings: Settings, service: Service, keys: KeyRing) -> None:
        self._app, self._settings, self._limits = app, settings, settings.limits
        self._service, self._metrics, self._keys = service, service.metrics, keys
        limits, per_key = settings.limits, settings.limits.requests_per_key
        self._requests = Admission(
            limits.requests, per_key or max(1, limits.requests // 2), what="requests", retry_after=1
        )
        self._batches = Admission(
            limits.batches,
            per_key or max(1, limits.batches // 2),
            what="batches",
            retry_after=10,
            queue=limits.waiting_batches,
            patience=limits.timeout,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request: refuse it, or pass it on to the application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        snapshot = self._service.reloader.current
        state = scope.setdefault("state", {})
        state["snapshot"] = snapshot
        status = 0

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message["headers"], *snapshot.headers(), (b"x-content-type-options", b"nosniff")]
                if all(name != b"cache-control" for name, _ in message["headers"]):
                    headers.append((b"cache-control", b"no-store"))
                if self._service.leaving():
                    headers.append((b"connection", b"close"))
                message = {**message, "headers": headers}
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._answer(scope, receive, send_marked)
        except Refusal as refusal:
            state["code"] = refusal.code
            if not status:
                await response_of(refusal)(scope, receive, send_marked)
        except Disconnected:
            status = status or 499  # nginx's code for a client that closed the connection
        except asyncio.CancelledError:
            if not self._service.ending():
                raise
            # The time to finish is over. An answer that has begun is cut off, and its connection closed.
            state["code"] = Busy.code
            if not status:
                await response_of(_server_ends())(scope, receive, send_marked)
        except Exception:
            _LOG.exception("%s %r failed", scope["method"], scope["path"])  # a path may hold line ends
            state["code"] = "failed"
            if not status:
                await response_of(failed())(scope, receive, send_marked)
            elif status != 500:
                raise  # in the middle of an answer: the connection is closed
        finally:
            # The connection keeps the scope until its next request; the snapshot may be outdated by then.
            state.pop("snapshot", None)
            self._metrics.in_flight.dec()
            if "code" in state:
                self._metrics.refusals.labels(state.pop("code")).inc()
            route = _route(scope)
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.requests.labels(route, method, str(status)).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        root = self._settings.root
        path = _below(scope["path"], root)
        scope["root_path"], scope["path"] = root, root + path
        client = self._client(scope, headers, path)
        scope["state"]["flow"] = client or "{}:{}".format(*(scope.get("client") or ("", 0)))
        if path in _ALWAYS:
            await answer_in_time(self._app, scope, receive, send, body=b"", limits=self._limits)
            return
        if self._service.ending():
            raise _server_ends()
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            raise WrongFormat(
                "The body is compressed.",
                expected="Expected no Content-Encoding.",
                next_step="Send it uncompressed.",
            )
        if path.startswith(_BATCHES):
            async with self._batches.admitted(client):
                if self._service.ending():
                    raise _server_ends()
                await self._app(scope, receive, send)
            return
        async with self._requests.admitted(client):
            body = await read_body(
                receive, headers, max_bytes=self._limits.body, seconds=self._limits.read_timeout
            )
            await answer_in_time(self._app, scope, receive, send, body=body, limits=self._limits)

    def _client(self, scope: Scope, headers: dict[bytes, bytes], path: str) -> str:
        """The owner of the request's key; "" if it has none. Raises Unauthorised, and Malformed for a foreign host name."""
        if not (keys := self._keys.current):
            check_host(headers, self._settings.hosts, advice=Step.USE_KNOWN_HOST)
            return ""
        owner = keys.owner(headers)
        scope["state"]["known"] = owner is not None
        if owner is None and path not in _OPEN:
            has_key = b"authorization" in headers or b"x-api-key" in headers
            raise Unauthorised(
                "This API key is unknown." if has_key else "This request has no API key.",
                expected="Expected the header 'Authorization: Bearer KEY'.",
                next_step="Ask whoever runs the server for a key.",
            )
        return owner or ""


def _server_ends() -> Busy:
    return Busy("The server is ending.", next_step="Send it again; another one will answer.", retry_after=1)


def _below(path: str, root: str) -> str:
    """The path below `root`, whether or not the proxy has removed that."""
    return path.removeprefix(root) if path.startswith(f"{root}/") else path


def _route(scope: Scope) -> str:
    """The path as in the OpenAPI document, of which there are few, or "other"."""
    route: Any = scope.get("route")
    return str(getattr(route, "path_format", "other"))
