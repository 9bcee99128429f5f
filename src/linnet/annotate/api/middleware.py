"""Host check, size limit and security headers for every request."""

from __future__ import annotations

from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linnet.annotate.api.schemas.base import Problem
from linnet.annotate.importing.limits import REQUEST
from linnet.serve.listening import host_of

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

    hosts  names that the server answers to; None for any. On loopback this stops other sites from reaching it by
           pointing a name of theirs at 127.0.0.1 (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] | None) -> None:
        self._app, self._hosts = app, hosts

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

        host = host_of(headers.get(b"host", b"").decode("latin-1"))
        if self._hosts is not None and host not in self._hosts:
            text = (
                f"This server answers to {', '.join(sorted(self._hosts))}; got {host[:100]!r}. If that is the address of your "
                f"proxy, start the server with --public-url https://{host[:100]}."
            )
            await _refuse(guarded, 400, "invalid", text)
            return
        most = REQUEST if headers.get(b"content-type", b"").startswith(b"multipart/form-data") else _SMALL
        length = headers.get(b"content-length", b"0")
        too_large = f"The request is larger than {most >> 20:,} MB. Upload fewer files at a time."
        if not length.isdigit() or int(length) > most:
            await _refuse(guarded, 413 if length.isdigit() else 400, "too_large", too_large)
            return
        await self._limited(scope, receive, guarded, most, too_large)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, most: int, text: str) -> None:
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
                await _refuse(send, 413, "too_large", text)


class _TooLargeError(BaseException):
    """A BaseException, so that no handler of the application catches it."""


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = Problem(code=code, message=message).model_dump_json().encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
