"""The address of a proxy, if users reach the server through one."""

from __future__ import annotations

from urllib.parse import urlsplit

from linnet.advice import Step
from linnet.errors import RequestError

__all__ = ["public_origin"]

_PORTS = {"http": 80, "https": 443}


def public_origin(url: str) -> str:
    """Scheme, host and port of a URL as a browser sends them in `Origin`: lower case, no default port; "" for "".

    Raises RequestError unless it is an http or https address without a path: the page must be at the root of its host.
    """
    if not url:
        return ""
    step = Step.GIVE_PUBLIC_URL()
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise RequestError(f"The public URL '{url}' is not a URL ({error}).", step) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise RequestError(f"The public URL '{url}' must begin with https:// and a host.", step)
    if parts.username is not None or parts.query or parts.fragment:
        raise RequestError(f"The public URL '{url}' must be a host without user, query or fragment.", step)
    if parts.path not in ("", "/"):
        raise RequestError(
            f"The public URL '{url}' has the path '{parts.path}'; the page must be at the root of a host. Give it its own host name.",
            step,
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname.encode("idna").decode()
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")
