"""Host check, size limit and security headers for every request."""

from __future__ import annotations

from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linnet.advice import Step
from linnet.annotate.limits import REQUEST
from linnet.http.guards import check_host, check_size
from linnet.http.problems import Problem
from linnet.http.refusals import Refusal, TooLarge

__all__ = ["POLICY", "ProtectionMiddleware"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
]
_SMALL = 2**20  # bytes of a request that uploads nothing


class ProtectionMiddleware:
    """Pure ASGI, so that streams pass through.

    hosts       see `check_host`
    other_host  advice for requests to another host, see `check_host`
    """

    def __init__(
        self, app: ASGIApp, *, hosts: Collection[str] | None, other_host: Step = Step.SAY_PUBLIC_URL
    ) -> None:
        self._app, self._hosts, self._other_host = app, hosts, other_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        api = scope["path"].startswith("/api/")

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                extra = [(name, value) for name, value in _HEADERS if name not in present]
                if api and b"cache-control" not in present:
                    extra.append((b"cache-control", b"no-store"))
                sent = message["headers"]
                if (
                    b"content-encoding" in present
                ):  # the tag is that of the file, so a part of it does not fit in
                    sent = [(name, b"W/" + value if name == b"etag" else value) for name, value in sent]
                message = {**message, "headers": [*sent, *extra]}
            await send(message)

        most = REQUEST if headers.get(b"content-type", b"").startswith(b"multipart/form-data") else _SMALL
        too_large = TooLarge(
            f"The request is larger than {most >> 20:,} MB.", next_step="Upload fewer files at a time."
        )
        try:
            check_host(headers, self._hosts, advice=self._other_host)
            check_size(headers, most, too_large=too_large)
        except Refusal as refusal:
            await _refuse(guarded, refusal)
            return
        await self._limited(scope, receive, guarded, most, too_large)

    async def _limited(
        self, scope: Scope, receive: Receive, send: Send, most: int, too_large: TooLarge
    ) -> None:
        """Run the application; stop it when the body exceeds its limit."""
        size, started = 0, False

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise _TooLargeError
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, counted, noted)
        except _TooLargeError:
            if not started:
                await _refuse(send, too_large)


class _TooLargeError(BaseException):
    """A BaseException, so that no handler of the application catches it."""


async def _refuse(send: Send, refusal: Refusal) -> None:
    body = Problem.of(refusal, status=refusal.status, code=refusal.code).model_dump_json().encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
