"""What is refused before the body of a request is read."""

from __future__ import annotations

import pytest

from linnet.advice import Step
from linnet.http.guards import check_host, check_size, host_of
from linnet.http.refusals import Malformed, TooLarge


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost:8766", "localhost"),
        ("LocalHost", "localhost"),
        ("[::1]:8766", "[::1]"),
        ("[::1]", "[::1]"),
        ("127.0.0.1.evil.example:80", "127.0.0.1.evil.example"),
        ("", ""),
    ],
)
def test_a_host_is_known_without_port_and_in_any_case(header: str, host: str) -> None:
    assert host_of(header) == host


def test_another_host_is_refused_with_what_to_do() -> None:
    with pytest.raises(Malformed) as refused:
        check_host({b"host": b"Evil.example:80"}, {"localhost"}, advice=Step.SAY_PUBLIC_URL)
    assert refused.value.message == "This server does not answer to 'evil.example'."
    assert refused.value.expected == "It answers to localhost."
    assert refused.value.advice == (Step.SAY_PUBLIC_URL(host="evil.example"),)
    check_host({b"host": b"LOCALHOST:80"}, {"localhost"}, advice=Step.SAY_PUBLIC_URL)
    check_host({}, None, advice=Step.SAY_PUBLIC_URL)


def test_a_length_beyond_the_limit_is_refused() -> None:
    check_size({}, 0, too_large=TooLarge("too large"))
    check_size({b"content-length": b"10"}, 10, too_large=TooLarge("too large"))
    with pytest.raises(TooLarge):
        check_size({b"content-length": b"11"}, 10, too_large=TooLarge("too large"))
    with pytest.raises(Malformed):
        check_size({b"content-length": b"-1"}, 10, too_large=TooLarge("too large"))
