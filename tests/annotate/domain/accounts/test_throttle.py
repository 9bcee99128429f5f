from __future__ import annotations

import pytest

from linnet.annotate.domain.accounts.throttle import Attempt, Throttle
from linnet.annotate.refusals import TooMany


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _fail(throttle: Throttle, attempt: Attempt, times: int) -> None:
    for _ in range(times):
        throttle.check(attempt)
        throttle.failed(attempt)


def test_after_ten_failures_one_waits_until_the_first_is_long_ago() -> None:
    clock = _Clock()
    throttle = Throttle(clock=clock)
    ada = Attempt("ada", "192.0.2.1")
    _fail(throttle, ada, 10)
    with pytest.raises(TooMany, match="Wait 301 seconds"):
        throttle.check(ada)
    throttle.check(Attempt("bob", "192.0.2.1"))
    throttle.check(Attempt("ada", "192.0.2.2"))
    throttle.check(Attempt("ada", "192.0.2.1", "known"))
    clock.now = 300.5
    throttle.check(ada)


def test_many_accounts_from_one_address_and_one_account_from_many_are_counted_too() -> None:
    spraying, spread = Throttle(clock=_Clock()), Throttle(clock=_Clock())
    for number in range(100):
        _fail(spraying, Attempt(f"user{number}", "192.0.2.1"), 1)
        _fail(spread, Attempt("ada", f"192.0.2.{number}"), 1)
    with pytest.raises(TooMany):
        spraying.check(Attempt("somebody else", "192.0.2.1"))
    with pytest.raises(TooMany):
        spread.check(Attempt("ada", "198.51.100.1"))
    spread.check(Attempt("ada", "198.51.100.1", "known"))


def test_signing_in_with_ones_own_account_does_not_clear_what_counts_for_others() -> None:
    throttle = Throttle(clock=_Clock())
    for number in range(100):
        _fail(throttle, Attempt(f"user{number}", "192.0.2.1"), 1)
        throttle.succeeded(Attempt("eve", "192.0.2.1"))
    with pytest.raises(TooMany):
        throttle.check(Attempt("eve", "192.0.2.1"))


def test_all_addresses_of_one_ipv6_network_are_one() -> None:
    throttle = Throttle(clock=_Clock())
    for number in range(10):
        _fail(throttle, Attempt("ada", f"2001:db8:0:1::{number:x}"), 1)
    with pytest.raises(TooMany):
        throttle.check(Attempt("ada", "2001:db8:0:1:ffff::1"))
    throttle.check(Attempt("ada", "2001:db8:0:2::1"))
    _fail(throttle, Attempt("ada", "::ffff:192.0.2.1"), 10)
    with pytest.raises(TooMany):
        throttle.check(Attempt("ada", "192.0.2.1"))
