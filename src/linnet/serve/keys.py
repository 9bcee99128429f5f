"""API keys: read from a file or the environment, kept as digests, compared in constant time, never written anywhere."""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from linnet.errors import DataError, RequestError
from linnet.files import read_lines

__all__ = ["VARIABLE", "Keys"]

VARIABLE = "LINNET_API_KEYS"
_SHORTEST = 16  # characters; 16 random letters and digits are 95 bits


class Keys:
    """Which keys are known, and whose they are; false when there are none: then everybody is answered."""

    def __init__(self, digests: Mapping[bytes, str]) -> None:
        self._digests = dict(digests)

    def __len__(self) -> int:
        """Number of keys."""
        return len(self._digests)

    @classmethod
    def read(cls, file: Path | None) -> Keys:
        """The keys of a file and those of $LINNET_API_KEYS, divided by blanks or commas.

        A line of the file is a key, or a name and a key; blank lines and what follows `#` are ignored. Raises
        DataError for a key that is too short or occurs twice, and for a file without any.
        """
        found: dict[bytes, str] = {}
        if file is not None:
            for number, line in read_lines(file):
                words = line.partition("#")[0].split()
                if len(words) > 2:
                    said = f"{len(words)} words. Expected a key, or a name and a key"
                    raise DataError(f"{said}, divided by a blank.", path=file, line=number)
                if words:
                    name = words[0] if len(words) == 2 else f"line {number}"
                    _add(found, words[-1], name, path=file, line=number)
            if not found:
                raise DataError(
                    "no API key in it. Expected one a line, e.g. of: openssl rand -hex 32", path=file
                )
        for number, key in enumerate(re.split(r"[\s,]+", os.environ.get(VARIABLE, "").strip()), start=1):
            if key:
                _add(found, key, f"${VARIABLE} {number}", path=f"${VARIABLE}", line=None)
        return cls(found)

    def owner(self, headers: Mapping[bytes, bytes]) -> str | None:
        """Whose key a request carries, as `Authorization: Bearer KEY` or `X-API-Key: KEY`; None where it has none that is known.

        All keys are compared, whichever it is, and their digests, whose length and beginning tell nothing.
        """
        given = headers.get(b"x-api-key", b"").strip()
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() == b"bearer":
            given = token.strip()
        asked = sha256(given).digest()
        owner = None
        for digest, name in self._digests.items():
            if hmac.compare_digest(digest, asked):
                owner = name
        return owner


def _add(found: dict[bytes, str], key: str, name: str, *, path: Path | str, line: int | None) -> None:
    if len(key) < _SHORTEST:
        raise DataError(
            f"an API key of {len(key)} characters. Expected {_SHORTEST} at least, e.g. of: openssl rand -hex 32",
            path=path,
            line=line,
        )
    if not key.isascii() or not key.isprintable():
        raise RequestError(f"{path}: an API key has characters that a header cannot hold. Use ASCII.")
    digest = sha256(key.encode()).digest()
    if digest in found:
        raise DataError("an API key that is there already. Leave one of them out.", path=path, line=line)
    found[digest] = name
