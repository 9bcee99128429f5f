"""What a server has to know: what it serves, how much it takes, where its keys are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from linnet.link.linker_config import LinkerConfig

__all__ = ["Limits", "Settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is taken. Each process of several has these for itself.

    body         bytes of a request, and of a line of a batch
    mentions     of one request
    text         characters of a text, or of what stands around a mention
    candidates   a mention
    requests     at once; more are told to come back
    batches      at once, not counted among the requests
    share        requests at once of one API key, None for half of `requests`
    connections  at once; the longest idle one makes room for a new one
    seconds      until a request is given up, waiting and linking together
    arriving     seconds for the head of a request, and again for its body; for the next line of a batch six times as long
    stalled      seconds that a client may leave what is sent to it unread
    idle         seconds that a connection is kept for the next request
    drain        seconds that requests have to finish when the server ends
    spool        bytes of a batch's answers kept on disk for a client that sends all before it reads
    """

    body: int = 4 * 2**20
    mentions: int = 1000
    text: int = 100_000
    candidates: int = 100
    requests: int = 128
    batches: int = 4
    share: int | None = None
    connections: int = 1000
    seconds: float = 30.0
    arriving: float = 10.0
    stalled: float = 30.0
    idle: float = 15.0
    drain: float = 30.0
    spool: int = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is served, and how.

    opening  terminologies, and how they are linked against
    workers  processes
    threads  of each process, for linking
    poll     seconds between looks at whether the terminologies have been replaced
    keys     file of API keys; $LINNET_API_KEYS counts too
    hosts    names it answers to where there are no keys, None for any
    root     path under which a proxy shows the server, "/linnet"; "" for none
    """

    opening: LinkerConfig
    workers: int = 1
    threads: int = 2
    poll: float = 1.0
    keys: Path | None = None
    hosts: frozenset[str] | None = None
    root: str = ""
    limits: Limits = field(default_factory=Limits)

    @property
    def terminologies(self) -> list[Path]:
        """Their directories, in order of precedence."""
        return [Path(place) for place in self.opening.terminologies]
