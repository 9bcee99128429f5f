"""Passwords as argon2id hashes, with the parameters that argon2-cffi recommends (RFC 9106, low memory)."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

__all__ = ["hashed", "matches", "needs_rehash"]

_HASHER = PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)


def hashed(password: str) -> str:
    """The hash to store."""
    return _HASHER.hash(password)


def matches(kept: str | None, password: str) -> bool:
    """Whether the password fits the hash; None, for no account, is False after the same time."""
    try:
        return _HASHER.verify(_nobodys() if kept is None else kept, password) and kept is not None
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    return hashed("nobody's password")


def needs_rehash(kept: str) -> bool:
    """Whether the hash was made with other parameters."""
    return _HASHER.check_needs_rehash(kept)
