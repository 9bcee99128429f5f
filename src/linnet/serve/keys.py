"""API keys: read from a file or the environment, kept as digests, compared in constant time, never written anywhere.

The file is read again when it changes: a key that is taken out of it is refused from then on.
"""

from __future__ import annotations

import hmac
import logging
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from linnet.errors import DataError, LinnetError
from linnet.files import read_lines
from linnet.serve.faults import Faults
from linnet.stamps import stamp_of

__all__ = ["VARIABLE", "KeyRing", "Keys"]

_LOG = logging.getLogger("linnet.serve")

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


class KeyRing:
    """The keys that are known now. `look` is called over and over, by one thread.

    Where the file cannot be read any more, or makes no sense, the keys it had are known on: a slip of an editor must not
    shut everybody out, nor let everybody in. Raises what `Keys.read` raises.
    """

    def __init__(self, file: Path | None, *, faults: Faults) -> None:
        self._file, self._faults = file, faults
        self._seen = stamp_of(file) if file else None
        self.current = Keys.read(file)

    def look(self, again: bool = False) -> None:
        """See whether the file was changed, and if so read it. again: read it even if it was not."""
        if self._file is None:
            return
        mark = stamp_of(self._file)
        if mark == self._seen and not again:
            return
        self._seen = mark  # taken before it is read: what changes meanwhile is seen next time
        try:
            self.current = Keys.read(self._file)
        except LinnetError as error:
            self._faults.note("keys_failed", f"The API keys from before are known on: {error}")
        else:
            self._faults.clear("keys_failed")
            _LOG.info("%d API keys are known", len(self.current))


def _add(found: dict[bytes, str], key: str, name: str, *, path: Path | str, line: int | None) -> None:
    if len(key) < _SHORTEST:
        raise DataError(
            f"an API key of {len(key)} characters. Expected {_SHORTEST} at least, e.g. of: openssl rand -hex 32",
            path=path,
            line=line,
        )
    if not key.isascii() or not key.isprintable():
        raise DataError(
            "an API key has characters that a header cannot hold. Use ASCII.", path=path, line=line
        )
    digest = sha256(key.encode()).digest()
    if digest in found:
        raise DataError("an API key that is there already. Leave one of them out.", path=path, line=line)
    found[digest] = name
