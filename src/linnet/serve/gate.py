"""What every request passes before it is looked at: host, key, how many there are, how large it is, how long it takes.

The body is read here, within its time and size; a client that goes away takes its request with it. Batches pass with their
body unread. Pure ASGI, so that streams pass through.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linnet.serve.admission import Admission
from linnet.serve.arrival import Gone, read_body
from linnet.serve.keeper import Keeper
from linnet.serve.keys import KeyRing
from linnet.serve.listening import host_of
from linnet.serve.metrics import Metrics
from linnet.serve.problems import failed, response_of
from linnet.serve.refusals import Busy, Malformed, Refusal, Unauthorised, WrongFormat
from linnet.serve.settings import Settings
from linnet.serve.waiting import answer_in_time

__all__ = ["Gate"]

_LOG = logging.getLogger("linnet.serve")
_BATCHES = "/v1/batch/"
# Answered however much there is to do.
_ALWAYS = frozenset({"/health", "/ready", "/metrics"})
# Answered without a key.
_OPEN = frozenset({"/health", "/ready", "/openapi.json", "/docs", "/docs.css"})


class Gate:
    """The door. `ending` set, it lets nobody in any more."""

    def __init__(
        self, app: ASGIApp, *, settings: Settings, keeper: Keeper, keys: KeyRing, metrics: Metrics
    ) -> None:
        self._app, self._settings, self._limits = app, settings, settings.limits
        self._keeper, self._keys, self._metrics = keeper, keys, metrics
        limits, own = settings.limits, settings.limits.share
        self._requests = Admission(
            limits.requests, own or max(1, limits.requests // 2), what="requests", wait=1
        )
        self._batches = Admission(limits.batches, own or max(1, limits.batches // 2), what="batches", wait=10)
        self.ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        snapshot = self._keeper.current
        state = scope.setdefault("state", {})
        state["snapshot"] = snapshot
        status = 0

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                extra = [*snapshot.headers(), (b"x-content-type-options", b"nosniff")]
                present = {name for name, _ in message["headers"]}
                if b"cache-control" not in present:
                    extra.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._answer(scope, receive, marked)
        except Refusal as refusal:
            state["code"] = refusal.code
            if not status:
                await response_of(refusal)(scope, receive, marked)
        except Gone:
            status = status or 499  # as other servers count requests whose client went away
        except asyncio.CancelledError:
            if not self.ending:
                raise
            # The time to finish is over. What has begun to be answered is cut off, and its connection closed.
            state["code"] = Busy.code
            if not status:
                await response_of(_ending())(scope, receive, marked)
        except Exception:
            _LOG.exception("%s %r failed", scope["method"], scope["path"])  # a path may hold line ends
            state["code"] = "failed"
            if not status:
                await response_of(failed())(scope, receive, marked)
            elif status != 500:
                raise  # in the middle of an answer: the connection is closed
        finally:
            # The connection keeps the scope until its next request, and would keep what is not served any more.
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
        path = _inside(scope["path"], root)
        scope["root_path"], scope["path"] = root, root + path
        client = self._client(scope, headers, path)
        scope["state"]["flow"] = client or "{}:{}".format(*(scope.get("client") or ("", 0)))
        if path in _ALWAYS:
            await self._app(scope, receive, send)
            return
        if self.ending:
            raise _ending()
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            raise WrongFormat(
                "The body is compressed.",
                expected="Expected no Content-Encoding.",
                advice="Send it as it is.",
            )
        if path.startswith(_BATCHES):
            with self._batches.admitted(client):
                await self._app(scope, receive, send)
            return
        with self._requests.admitted(client):
            limits = self._limits
            body = await read_body(receive, headers, most=limits.body, seconds=limits.arriving)
            await answer_in_time(self._app, scope, receive, send, body=body, seconds=limits.seconds)

    def _client(self, scope: Scope, headers: dict[bytes, bytes], path: str) -> str:
        """Whose key it is, "" where none is needed. Raises Unauthorised, and Malformed for another host's name."""
        hosts, keys = self._settings.hosts, self._keys.current
        if not keys:
            name = headers.get(b"host", b"").decode("latin-1")
            if hosts is not None and host_of(name) not in hosts:
                raise Malformed(
                    f"This server does not answer to '{name[:100]}'.",
                    expected=f"It answers to {', '.join(sorted(hosts))}.",
                    advice="Use one of these in the address, or start the server with API keys.",
                )
            return ""
        owner = keys.owner(headers)
        scope["state"]["known"] = owner is not None
        if owner is None and path not in _OPEN:
            given = b"authorization" in headers or b"x-api-key" in headers
            raise Unauthorised(
                "This API key is not known." if given else "This request has no API key.",
                expected="Expected the header 'Authorization: Bearer KEY'.",
                advice="Ask whoever runs the server for a key.",
            )
        return owner or ""


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _ending() -> Busy:
    return Busy("The server is ending.", advice="Send it again; another one will answer.", wait=1)


def _inside(path: str, root: str) -> str:
    """The path below the one that a proxy shows the server under, whether or not the proxy has taken that away."""
    return path.removeprefix(root) if path.startswith(f"{root}/") else path


def _route(scope: Scope) -> str:
    """The address as it is written in the OpenAPI document: whatever is asked for, there are few of them."""
    route: Any = scope.get("route")
    return str(getattr(route, "path_format", "other"))
