"""The address that people reach the tool by, where that is a proxy's."""

from __future__ import annotations

from urllib.parse import urlsplit

from linnet.errors import RequestError

__all__ = ["public_origin"]

_PORTS = {"http": 80, "https": 443}


def public_origin(url: str) -> str:
    """Scheme, host and port of a URL as a browser sends them in `Origin`: in lower case, without the usual port; "" for "".

    Raises RequestError for what is no http or https address of a host alone: the page has to be at the top of it.
    """
    if not url:
        return ""
    expected = "Expected the address that people type, e.g. --public-url https://annotate.example.org"
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise RequestError(f"--public-url '{url}' is not an address ({error}). {expected}") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise RequestError(f"--public-url '{url}' does not begin with https:// and a host. {expected}")
    if parts.username is not None or parts.query or parts.fragment:
        raise RequestError(f"--public-url '{url}' has more than a host. {expected}")
    if parts.path not in ("", "/"):
        raise RequestError(
            f"--public-url '{url}' has the path '{parts.path}': the tool must be at the root of a host. Give it a host name of its own. "
            f"{expected}"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname.encode("idna").decode()
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")
