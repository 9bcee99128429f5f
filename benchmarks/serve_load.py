"""Load on `linnet serve`, over loopback: speed with 1 to 64 clients and among hostile ones, memory, soak.

    python benchmarks/serve_load.py TERMINOLOGY [--corpus FILE] [--seconds 5] [--soak 600] [--write docs/serving.md]

Clients are tasks of this process: they and the server share the machine's cores. Mentions are names of the terminology with a
letter missing. Where speed is measured each is sent once, so that no cache answers it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from kept_tables import write_shown
from measuring import parser_of
from watch import family

CLIENTS = (1, 8, 32, 64)
MENTIONS = 100  # of a request that has many
LINES = 500  # of a batch
# What the page shows of the tables that are kept beside it.
PAGES = {
    "load": "{load:part 1; row 1 3 5 9 11 13 15 17 19-21}\n{load:part 2}",
    "soak": "{soak_words}",
}
START = "from linnet.cli import main; main()"
# The same server, linking every request by itself.
UNJOINED = f"import linnet.serve.scheduler as scheduler; scheduler._JOINED_COST = 0.0; {START}"


class Server:
    """A server in processes of its own."""

    def __init__(self, terminology: Path, *options: str, code: str = START) -> None:
        command = [sys.executable, "-c", code, "serve", "-t", str(terminology), "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if address := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(address[1])
                return
        raise SystemExit("the server did not start")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)

    def memory(self) -> list[dict[str, int]]:
        """Rss, Pss, Pss_Anon … of each process that answers, in kB."""
        return [_memory(pid) for pid in self.processes()]

    def processes(self) -> list[int]:
        """Those that answer."""
        return family(self.process.pid)[1:] or [self.process.pid]


def _memory(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}


class Client:
    """HTTP/1.1 over one connection, kept alive."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(
        self, method: str, path: str, body: bytes, kind: str = "application/json"
    ) -> tuple[int, bytes]:
        """Status and body."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        reader, writer = self._streams
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        status = int(answer.split(" ", 2)[1])
        if length := re.search(r"content-length: (\d+)", answer):
            return status, await reader.readexactly(int(length[1]))
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append((await reader.readexactly(size + 2))[:-2])
        await reader.readexactly(2)
        return status, b"".join(parts)

    def close(self) -> None:
        """Disconnect."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass(slots=True)
class Measured:
    """Seconds of each request answered with 200, and the number of others."""

    name: str
    clients: int
    seconds: float
    times: list[float] = field(default_factory=list)
    refused: int = 0
    unit: int = 1

    def row(self) -> str:
        """A row of the table."""
        p50, p95, p99 = (np.percentile(self.times, (50, 95, 99)) * 1000).tolist()
        rate = len(self.times) * self.unit / self.seconds
        what = f"{rate:,.0f} lines" if self.unit > 1 else f"{rate:,.0f}"
        return f"| {self.name} | {self.clients} | {what} | {p50:,.1f} | {p95:,.1f} | {p99:,.1f} | {self.refused} |"


Request = Callable[[Client], Awaitable[tuple[int, bytes]]]


async def measure(
    name: str, port: int, request: Request, *, clients: int, seconds: float, unit: int = 1
) -> Measured:
    """What clients see that send a request as soon as the one before is answered."""
    measured = Measured(name, clients, seconds, unit=unit)
    end = time.perf_counter() + seconds

    async def run_client() -> None:
        client = Client(port)
        while (began := time.perf_counter()) < end:
            status, _ = await request(client)
            if status == 200:
                measured.times.append(time.perf_counter() - began)
            else:
                measured.refused += 1
                await asyncio.sleep(0.05)
        client.close()

    began = time.perf_counter()
    await asyncio.gather(*(run_client() for _ in range(clients)))
    measured.seconds = time.perf_counter() - began
    return measured


class Requests:
    """Requests: mentions that are nearly names, abstracts, batches."""

    def __init__(self, terminology: Path, corpus: Path | None) -> None:
        from linnet import corpora
        from linnet.samples import documents as packaged
        from linnet.terminology import Terminology

        names = Terminology.open(terminology).names
        rng = np.random.default_rng(0)
        self.names = [_misspelt(names[int(row)], rng) for row in rng.permutation(len(names))[:60_000]]
        documents = corpora.read(corpus) if corpus else packaged()
        self.texts = [document.text for document in documents]
        self._name, self._text = cycle(self.names), cycle(self.texts)
        self._typed = cycle(name[:length] for name in self.names[:500] for length in range(2, 9))

    async def link(self, client: Client) -> tuple[int, bytes]:
        """One mention."""
        return await client.request(
            "POST", "/v1/link", json.dumps({"mentions": [{"text": next(self._name)}]}).encode()
        )

    async def link_many(self, client: Client) -> tuple[int, bytes]:
        """A hundred mentions in one request."""
        mentions = [{"text": next(self._name)} for _ in range(MENTIONS)]
        return await client.request("POST", "/v1/link", json.dumps({"mentions": mentions}).encode())

    async def few(self, client: Client) -> tuple[int, bytes]:
        """One mention of a few thousand, so that caches do not grow."""
        text = self.names[int(time.perf_counter_ns() // 1000) % 3000]
        return await client.request("POST", "/v1/link", json.dumps({"mentions": [{"text": text}]}).encode())

    async def annotate(self, client: Client) -> tuple[int, bytes]:
        """One abstract."""
        return await client.request("POST", "/v1/annotate", json.dumps({"text": next(self._text)}).encode())

    async def search(self, client: Client) -> tuple[int, bytes]:
        """The beginning of a name."""
        from urllib.parse import quote

        return await client.request("GET", f"/v1/concepts?q={quote(next(self._typed))}", b"")

    async def batch(self, client: Client) -> tuple[int, bytes]:
        """A batch of new mentions."""
        return await self._batch(client, [next(self._name) for _ in range(LINES)])

    async def few_lines(self, client: Client) -> tuple[int, bytes]:
        """A batch of a few thousand mentions."""
        start = int(time.perf_counter_ns() // 1000) % 3000
        return await self._batch(client, self.names[start : start + LINES])

    async def _batch(self, client: Client, texts: list[str]) -> tuple[int, bytes]:
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        return await client.request("POST", "/v1/batch/link", lines.encode(), "application/x-ndjson")


def _misspelt(name: str, rng: np.random.Generator) -> str:
    if len(name) < 5:
        return name
    place = int(rng.integers(1, len(name)))
    return name[:place] + name[place + 1 :]


@asynccontextmanager
async def hostile(port: int, texts: list[str]) -> AsyncIterator[None]:
    """100 connections that never finish a request, 4 that do not read, 4 that send texts of the largest size."""
    idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(100)]
    for _, writer in idle:
        writer.write(b"POST /v1/link HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    large = json.dumps({"text": (" ".join(texts) * 50)[:99_000]}).encode()
    many = json.dumps({"mentions": [{"text": "gout"}] * 1000, "k": 100}).encode()
    head = b"POST /v1/link HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"

    async def drip(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"x")
            await asyncio.sleep(1)

    async def greedy() -> None:
        while True:
            client = Client(port)
            with suppress(OSError, asyncio.IncompleteReadError):
                await client.request("POST", "/v1/annotate", large)
            client.close()

    async def deaf() -> None:
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
                for _ in range(20):
                    writer.write(head % len(many) + many)
                await asyncio.sleep(20)
                writer.close()

    tasks = [asyncio.create_task(drip(writer)) for _, writer in idle]
    tasks += [asyncio.create_task(greedy()) for _ in range(4)] + [
        asyncio.create_task(deaf()) for _ in range(4)
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _, writer in idle:
            writer.close()


HEAD = "| | clients | a second | p50 ms | p95 ms | p99 ms | refused |\n|---|---:|---:|---:|---:|---:|---:|"


def load(terminology: Path, requests: Requests, seconds: float) -> Iterator[str]:
    """The lines of the tables."""
    yield f"Written by `benchmarks/serve_load.py` on {os.cpu_count()} cores that the clients share with the server, load "
    yield f"{os.getloadavg()[0]:.1f} at the start; {seconds:g} s each, one process with two threads. {LINES} lines a batch.{_busy()}\n"
    yield HEAD
    with Server(terminology) as server:
        kinds = (
            ("link a mention", requests.link),
            (f"link {MENTIONS} mentions", requests.link_many),
            ("annotate an abstract", requests.annotate),
            ("search", requests.search),
        )
        for name, request in kinds:
            for clients in CLIENTS:
                yield asyncio.run(measure(name, server.port, request, clients=clients, seconds=seconds)).row()
        for clients in (1, 4):
            batches = measure(
                "batch", server.port, requests.batch, clients=clients, seconds=2 * seconds, unit=LINES
            )
            yield asyncio.run(batches).row()
        peaceful = measure(
            "link, no hostile clients", server.port, requests.link, clients=16, seconds=seconds
        )
        yield asyncio.run(peaceful).row()
        yield asyncio.run(_among_hostile(server, requests, seconds)).row()
    with Server(terminology, code=UNJOINED) as server:
        unjoined = measure(
            "link, requests not joined", server.port, requests.link, clients=16, seconds=seconds
        )
        yield asyncio.run(unjoined).row()
    yield "\nMemory after 500 mentions (MB; Pss counts what processes share once):\n"
    yield "| processes | Rss, sum | Pss, sum | of which private |\n|---:|---:|---:|---:|"
    for workers in (1, 2, 4):
        with Server(terminology, "--workers", str(workers)) as server:
            asyncio.run(_some(server.port, requests, 500))
            processes = server.memory()
        sums = [sum(process[name] for process in processes) / 1024 for name in ("Rss", "Pss", "Pss_Anon")]
        yield f"| {workers} | " + " | ".join(f"{total:,.0f}" for total in sums) + " |"


async def _among_hostile(server: Server, requests: Requests, seconds: float) -> Measured:
    async with hostile(server.port, requests.texts):
        await asyncio.sleep(1)
        return await measure(
            "link, among hostile clients", server.port, requests.link, clients=16, seconds=2 * seconds
        )


async def _some(port: int, requests: Requests, count: int) -> None:
    clients = [Client(port) for _ in range(8)]
    for _ in range(count // len(clients)):
        await asyncio.gather(*(requests.link(client) for client in clients))
    for client in clients:
        client.close()


def _busy() -> str:
    """A warning where the machine has other work."""
    if os.getloadavg()[0] < 1.5 * (os.cpu_count() or 1):
        return ""
    return (
        " The machine was busy with other work: compare the rows with each other, not with another machine."
    )


def soak(terminology: Path, requests: Requests, seconds: float) -> Iterator[str]:
    """Memory and errors over a long time."""
    busy = _busy()  # at the end, the load is this benchmark's
    with Server(terminology, "--workers", "2", "--poll", "1") as server:
        samples, statuses, swaps = asyncio.run(_soak(server, requests, seconds))
    step = max(1, len(samples) // 10)
    yield f"{seconds:g} s with two processes: 2 clients that link (of 3,000 mentions), 2 that annotate, 2 that search, 1 with batches, "
    yield f"the hostile clients above, and the terminology reopened {swaps} times; load {os.getloadavg()[0]:.1f} at the end. "
    yield f"Answers by status: {', '.join(f'{status}: {count:,}' for status, count in sorted(statuses.items()))}.{busy}\n"
    yield "| minute | Pss, sum, MB | of which private | files, sockets |\n|---:|---:|---:|---:|"
    for at, pss, private, files in samples[::step]:
        yield f"| {at / 60:.1f} | {pss:,.0f} | {private:,.0f} | {files} |"
    third = len(samples) // 3
    middle, last = (
        np.median([sample[2] for sample in part])
        for part in (samples[third : 2 * third], samples[2 * third :])
    )
    yield "\nPrivate memory, median of the last third beside that of the middle one: "
    yield f"{last:,.0f} and {middle:,.0f} MB ({last / middle - 1:+.1%})."


async def _soak(server: Server, requests: Requests, seconds: float) -> tuple[list[Any], Counter[int], int]:
    end = time.perf_counter() + seconds
    statuses: Counter[int] = Counter()
    samples, swaps = [], 0

    async def run_client(request: Request) -> None:
        client = Client(server.port)
        while time.perf_counter() < end:
            status, _ = await request(client)
            statuses[status] += 1
            await asyncio.sleep(0)
        client.close()

    kinds = [requests.few] * 2 + [requests.annotate] * 2 + [requests.search] * 2 + [requests.few_lines]
    async with hostile(server.port, requests.texts):
        clients = [asyncio.create_task(run_client(request)) for request in kinds]
        began = time.perf_counter()
        while time.perf_counter() < end:
            await asyncio.sleep(min(10, seconds / 30))
            processes = await asyncio.to_thread(server.memory)
            files = sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in server.processes())
            pss, private = (
                sum(process[name] for process in processes) / 1024 for name in ("Pss", "Pss_Anon")
            )
            samples.append((time.perf_counter() - began, pss, private, files))
            if len(samples) % 6 == 3:
                server.process.send_signal(signal.SIGHUP)
                swaps += 1
        await asyncio.gather(*clients)
    return samples, statuses, swaps


def main() -> None:
    """Measure, print, and write between the markers of a page."""
    parser = parser_of(__doc__)
    parser.add_argument("terminology", type=Path)
    parser.add_argument("--corpus", type=Path, help="abstracts to annotate; default: the packaged ones")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--soak", type=float, help="run only the soak test, for so many seconds")
    parser.add_argument(
        "--write", type=Path, help="page to update, with the markers <!-- load --> or <!-- soak -->"
    )
    options = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # hostile clients are cut off
    requests = Requests(options.terminology, options.corpus)
    name = "soak" if options.soak else "load"
    lines = []
    for line in (
        soak(options.terminology, requests, options.soak)
        if options.soak
        else load(options.terminology, requests, options.seconds)
    ):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        text = "\n".join(lines).strip() + "\n"
        words = re.sub(r"\n(\|.*\n)+", "", text)
        tables = {"load": text} if name == "load" else {"soak": text, "soak_words": words}
        write_shown(options.write, f"<!-- {name} -->", f"<!-- /{name} -->", PAGES[name], tables)


if __name__ == "__main__":
    main()
