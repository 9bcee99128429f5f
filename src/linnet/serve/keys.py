"""API keys: read from a file and the environment, kept as digests, compared in constant time, never written anywhere.

The file is read again when it changes: a key that is removed from it is refused from then on.
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
from linnet.http.wording import in_service
from linnet.io.file_stamps import stamp_of
from linnet.io.files import read_lines
from linnet.serve.faults import Faults

__all__ = ["VARIABLE", "KeyRing", "Keys"]

_LOG = logging.getLogger("linnet.serve")

VARIABLE = "LINNET_API_KEYS"
_SHORTEST = 16  # characters; 16 random letters and digits are 95 bits


class Keys:
    """The known keys and their owners. Falsy without keys: then everybody is answered."""

    def __init__(self, digests: Mapping[bytes, str]) -> None:
        self._digests = dict(digests)

    def __len__(self) -> int:
        """Number of keys."""
        return len(self._digests)

    @classmethod
    def read(cls, file: Path | None) -> Keys:
        """The keys of a file and those of $LINNET_API_KEYS, separated by blanks or commas.

        A line of the file is a key, or a name and a key; blank lines and text after `#` are ignored. Raises
        DataError for a key that is too short or occurs twice, and for a file without any.
        """
        owners: dict[bytes, str] = {}
        if file is not None:
            for number, line in read_lines(file):
                words = line.partition("#")[0].split()
                if len(words) > 2:
                    raise DataError(
                        f"{len(words)} words. Expected a key, or a name and a key, separated by a blank.",
                        path=file,
                        line=number,
                    )
                if words:
                    name = words[0] if len(words) == 2 else f"line {number}"
                    _add(owners, words[-1], name, path=file, line=number)
            if not owners:
                raise DataError("no API key. Expected one a line, e.g. from: openssl rand -hex 32", path=file)
        for number, key in enumerate(re.split(r"[\s,]+", os.environ.get(VARIABLE, "").strip()), start=1):
            if key:
                _add(owners, key, f"${VARIABLE} {number}", path=f"${VARIABLE}", line=None)
        return cls(owners)

    def owner(self, headers: Mapping[bytes, bytes]) -> str | None:
        """The owner of a request's key, `Authorization: Bearer KEY` or `X-API-Key: KEY`; None without a known key.

        The digest is compared with those of all keys, so that the time reveals nothing about a key.
        """
        key = headers.get(b"x-api-key", b"").strip()
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() == b"bearer":
            key = token.strip()
        given_digest = sha256(key).digest()
        owner = None
        for digest, name in self._digests.items():
            if hmac.compare_digest(digest, given_digest):
                owner = name
        return owner


class KeyRing:
    """The current keys. `check` is called over and over, by one thread.

    If the file is invalid or can no longer be read, its previous keys stay valid: a slip in an editor must neither shut
    everybody out nor let everybody in. Raises what `Keys.read` raises.
    """

    def __init__(self, file: Path | None, *, faults: Faults) -> None:
        self._file, self._faults = file, faults
        self._stamp = stamp_of(file) if file is not None else None
        self.current = Keys.read(file)

    def check(self, force: bool = False) -> None:
        """Read the file if it has changed. force: read it in any case."""
        if self._file is None:
            return
        stamp = stamp_of(self._file)
        if stamp == self._stamp and not force:
            return
        self._stamp = stamp  # taken before reading: the next check sees what changes meanwhile
        try:
            self.current = Keys.read(self._file)
        except LinnetError as error:
            self._faults.note("keys_failed", f"The previous API keys stay valid: {in_service(error)}")
        else:
            self._faults.clear("keys_failed")
            _LOG.info("%d API keys are valid", len(self.current))


def _add(owners: dict[bytes, str], key: str, name: str, *, path: Path | str, line: int | None) -> None:
    if len(key) < _SHORTEST:
        raise DataError(
            f"an API key of {len(key)} characters. Expected at least {_SHORTEST}, e.g. from: openssl rand -hex 32",
            path=path,
            line=line,
        )
    if not key.isascii() or not key.isprintable():
        raise DataError(
            "an API key has characters that a header cannot hold. Use ASCII.", path=path, line=line
        )
    digest = sha256(key.encode()).digest()
    if digest in owners:
        raise DataError("a duplicate API key. Remove one of them.", path=path, line=line)
    owners[digest] = name
