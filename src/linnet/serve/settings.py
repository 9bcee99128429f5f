"""Settings of a server: what it serves, its limits, its API keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from linnet.link.linker_config import LinkerConfig

__all__ = ["METRICS_FOLDER", "Limits", "Settings"]

# Names the folder in which several processes keep their counts; prometheus_client reads it when it is imported.
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of each process. Times are in seconds.

    body              bytes of a request, and of a line of a batch
    mentions          of one request
    text              characters of a text, or of the context of a mention
    candidates        of a mention
    requests          at once; the server refuses more with 503
    batches           at once, not counted among the requests
    waiting_batches   that wait until one of them is done, `timeout` seconds at most; more are refused with 503
    requests_per_key  at once of one API key; None for half of `requests`
    timeout           of a request, waiting and linking together
    read_timeout      for the body of a request; a batch may take six times as long for its next line
    write_timeout     that a client may leave an answer unread
    keep_alive        that a connection stays open for the next request
    drain             that running requests have to finish when the server ends
    spool             bytes of a batch's answers kept on disk for a client that sends everything before it reads
    """

    body: int = 4 * 2**20
    mentions: int = 1000
    text: int = 100_000
    candidates: int = 100
    requests: int = 128
    batches: int = 4
    waiting_batches: int = 32
    requests_per_key: int | None = None
    timeout: float = 30.0
    read_timeout: float = 10.0
    write_timeout: float = 30.0
    keep_alive: float = 15.0
    drain: float = 30.0
    spool: int = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is served, and how.

    opening  terminologies, and how to link against them
    workers  number of processes
    threads  that link, in each process
    poll     seconds between checks whether a terminology has been replaced
    keys     file of API keys, read beside $LINNET_API_KEYS
    hosts    names the server answers to when there are no API keys; None for any
    root     path under which a proxy shows the server, e.g. "/linnet"; "" for none
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
        return [Path(path) for path in self.opening.terminologies]
