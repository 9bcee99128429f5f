"""Slow down password guessing without locking users out of their accounts.

Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies". Browsers known to an account have a cookie and are counted
separately, so that nobody elsewhere can lock them out. Attempts from other browsers count for account and network address
together, for the address (many accounts tried from one place), and for the account (one account tried from many places).
"""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from linnet.annotate.refusals import TooMany

__all__ = ["Attempt", "Throttle"]


class _Limit(NamedTuple):
    """Failures allowed in a number of seconds."""

    failures: int
    seconds: float


_LIMITS = {
    "device": _Limit(10, 300),
    "pair": _Limit(10, 300),
    "address": _Limit(100, 300),
    "account": _Limit(100, 3600),  # at most 2,400 guesses a day from the whole world
}
_Key = tuple[str, str]


class Attempt(NamedTuple):
    """An attempt to sign in, or to use an invitation.

    account  key of its name, "" for an invitation
    address  network address, "" if unknown
    device   digest of the cookie of a browser known to the account, "" for others
    """

    account: str
    address: str
    device: str = ""

    def counted(self) -> Iterator[_Key]:
        """What the attempt counts for, narrowest first."""
        if self.device:
            yield "device", self.device
            return
        network = _network(self.address)
        yield "pair", f"{self.account} {network}"
        yield "address", network
        if self.account:
            yield "account", self.account


class Throttle:
    """Counts failures and refuses further attempts after too many. In memory: a restart clears it. Thread-safe."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: defaultdict[_Key, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def check(self, attempt: Attempt) -> None:
        """Raise TooMany after too many recent failures."""
        with self._lock:
            waits = [self._wait(key) for key in attempt.counted()]
        if wait := max(waits):
            elsewhere = attempt.account and not attempt.device
            other = ", or use a browser in which you signed in before" if elsewhere else ""
            raise TooMany(f"Too many failed attempts. Wait {wait:,} seconds, then try again{other}.")

    def failed(self, attempt: Attempt) -> None:
        """Record a failure."""
        with self._lock:
            for key in attempt.counted():
                self._times[key].append(self._clock())
            for other in [key for key in self._times if not self._fresh(key)]:
                del self._times[other]

    def succeeded(self, attempt: Attempt) -> None:
        """Forget the failures of this device, or of this account and address. Signing in must not clear shared counts."""
        with self._lock:
            self._times.pop(next(attempt.counted()), None)

    def _wait(self, key: _Key) -> int:
        """Seconds until the next attempt is allowed; 0 for now."""
        times, limit = self._fresh(key), _LIMITS[key[0]]
        if len(times) < limit.failures:
            return 0
        return int(limit.seconds - (self._clock() - times[-limit.failures])) + 1

    def _fresh(self, key: _Key) -> deque[float]:
        times = self._times.get(key, deque())
        while times and self._clock() - times[0] > _LIMITS[key[0]].seconds:
            times.popleft()
        return times


def _network(address: str) -> str:
    """An IPv4 address, or the /64 that an IPv6 address is in: its owner has all of it."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)
