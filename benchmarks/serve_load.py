"""Load on `linnet serve`, over loopback: speed at 1 to 64 clients, memory, what slow and hostile clients do to the others, soak.

    python benchmarks/serve_load.py TERMINOLOGY [--corpus FILE] [--seconds 5] [--soak 600] [--write docs/serving.md]

Clients are tasks of this process, so that they and the server share the machine's cores. Mentions are names of the terminology
with a letter missing, each asked for once where speed is measured, so that nothing is answered from memory.
"""

from __future__ import annotations

import argparse
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

CLIENTS = (1, 4, 16, 64)
LINES = 500  # of a batch
START = "from linnet.cli import main; main()"
# The same server with every request linked by itself.
APART = f"import linnet.serve.scheduler as engine; engine._TOGETHER = 0.0; {START}"


class Server:
    """A server in processes of its own."""

    def __init__(self, terminology: Path, *options: str, code: str = START) -> None:
        command = [sys.executable, "-c", code, "serve", "-t", str(terminology), "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
        raise SystemExit("the server did not start")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)

    def memory(self) -> list[dict[str, int]]:
        """Rss, Pss, Pss_Anon … in kB of the processes that answer."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        pids = [int(pid) for file in children for pid in file.read_text().split()] or [self.process.pid]
        return [_memory(pid) for pid in pids]


def _memory(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}


class Client:
    """HTTP/1.1 by one connection that is kept."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
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
        if found := re.search(r"content-length: (\d+)", answer):
            return status, await reader.readexactly(int(found[1]))
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append((await reader.readexactly(size + 2))[:-2])
        await reader.readexactly(2)
        return status, b"".join(parts)

    def close(self) -> None:
        """Go away."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass(slots=True)
class Measured:
    """Seconds of each request that was answered with 200; how many were not."""

    name: str
    clients: int
    seconds: float
    times: list[float] = field(default_factory=list)
    refused: int = 0
    unit: int = 1

    def row(self) -> str:
        """Of the table."""
        p50, p95, p99 = (np.percentile(self.times, (50, 95, 99)) * 1000).tolist()
        rate = len(self.times) * self.unit / self.seconds
        what = f"{rate:,.0f} lines" if self.unit > 1 else f"{rate:,.0f}"
        return f"| {self.name} | {self.clients} | {what} | {p50:,.1f} | {p95:,.1f} | {p99:,.1f} | {self.refused} |"


Ask = Callable[[Client], Awaitable[tuple[int, bytes]]]


async def measure(name: str, port: int, ask: Ask, *, clients: int, seconds: float, unit: int = 1) -> Measured:
    """What so many clients see that ask again as soon as they are answered."""
    found = Measured(name, clients, seconds, unit=unit)
    end = time.perf_counter() + seconds

    async def one() -> None:
        client = Client(port)
        while (began := time.perf_counter()) < end:
            status, _ = await ask(client)
            if status == 200:
                found.times.append(time.perf_counter() - began)
            else:
                found.refused += 1
                await asyncio.sleep(0.05)
        client.close()

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(clients)))
    found.seconds = time.perf_counter() - began
    return found


class Questions:
    """What is asked: mentions that are nearly names, abstracts, batches."""

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
        return await client.ask(
            "POST", "/v1/link", json.dumps({"mentions": [{"text": next(self._name)}]}).encode()
        )

    async def few(self, client: Client) -> tuple[int, bytes]:
        """One mention of a few thousand, so that the memory of what was found before does not grow."""
        text = self.names[int(time.perf_counter_ns() // 1000) % 3000]
        return await client.ask("POST", "/v1/link", json.dumps({"mentions": [{"text": text}]}).encode())

    async def annotate(self, client: Client) -> tuple[int, bytes]:
        """One abstract."""
        return await client.ask("POST", "/v1/annotate", json.dumps({"text": next(self._text)}).encode())

    async def search(self, client: Client) -> tuple[int, bytes]:
        """Some letters."""
        from urllib.parse import quote

        return await client.ask("GET", f"/v1/concepts?q={quote(next(self._typed))}", b"")

    async def batch(self, client: Client) -> tuple[int, bytes]:
        """Some hundred lines."""
        return await self._batch(client, [next(self._name) for _ in range(LINES)])

    async def few_lines(self, client: Client) -> tuple[int, bytes]:
        """Some hundred of a few thousand."""
        start = int(time.perf_counter_ns() // 1000) % 3000
        return await self._batch(client, self.names[start : start + LINES])

    async def _batch(self, client: Client, texts: list[str]) -> tuple[int, bytes]:
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        return await client.ask("POST", "/v1/batch/link", lines.encode(), "application/x-ndjson")


def _misspelt(name: str, rng: np.random.Generator) -> str:
    if len(name) < 5:
        return name
    place = int(rng.integers(1, len(name)))
    return name[:place] + name[place + 1 :]


@asynccontextmanager
async def hostile(port: int, texts: list[str]) -> AsyncIterator[None]:
    """100 connections that never finish a request, 4 that do not read, 4 clients that send texts as large as are taken."""
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
                await client.ask("POST", "/v1/annotate", large)
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


def load(terminology: Path, questions: Questions, seconds: float) -> Iterator[str]:
    """The tables, a line at a time."""
    yield f"Written by `benchmarks/serve_load.py` on {os.cpu_count()} cores that the clients share with the server, load "
    yield f"{os.getloadavg()[0]:.1f} at the start; {seconds:g} s each, one process with two threads. {LINES} lines a batch.{_busy()}\n"
    yield HEAD
    with Server(terminology) as server:
        asks = (
            ("link a mention", questions.link),
            ("annotate an abstract", questions.annotate),
            ("search", questions.search),
        )
        for name, ask in asks:
            for clients in CLIENTS:
                yield asyncio.run(measure(name, server.port, ask, clients=clients, seconds=seconds)).row()
        for clients in (1, 4):
            done = measure(
                "batch", server.port, questions.batch, clients=clients, seconds=2 * seconds, unit=LINES
            )
            yield asyncio.run(done).row()
        alone = measure("link, by themselves", server.port, questions.link, clients=16, seconds=seconds)
        yield asyncio.run(alone).row()
        yield asyncio.run(_among_hostile(server, questions, seconds)).row()
    with Server(terminology, code=APART) as server:
        apart = measure("link, no two together", server.port, questions.link, clients=16, seconds=seconds)
        yield asyncio.run(apart).row()
    yield "\nMemory after 500 mentions (MB; Pss counts what processes share once):\n"
    yield "| processes | Rss, sum | Pss, sum | of which private |\n|---:|---:|---:|---:|"
    for workers in (1, 2, 4):
        with Server(terminology, "--workers", str(workers)) as server:
            asyncio.run(_some(server.port, questions, 500))
            found = server.memory()
        sums = [sum(one[name] for one in found) / 1024 for name in ("Rss", "Pss", "Pss_Anon")]
        yield f"| {workers} | " + " | ".join(f"{one:,.0f}" for one in sums) + " |"


async def _among_hostile(server: Server, questions: Questions, seconds: float) -> Measured:
    async with hostile(server.port, questions.texts):
        await asyncio.sleep(1)
        return await measure(
            "link, among hostile clients", server.port, questions.link, clients=16, seconds=2 * seconds
        )


async def _some(port: int, questions: Questions, requests: int) -> None:
    clients = [Client(port) for _ in range(8)]
    for _ in range(requests // len(clients)):
        await asyncio.gather(*(questions.link(client) for client in clients))
    for client in clients:
        client.close()


def _busy() -> str:
    """A warning where others use the machine."""
    if os.getloadavg()[0] < 1.5 * (os.cpu_count() or 1):
        return ""
    return (
        " The machine was busy with other work: compare the rows with each other, not with another machine."
    )


def soak(terminology: Path, questions: Questions, seconds: float) -> Iterator[str]:
    """Memory and errors over a long time."""
    busy = _busy()  # at the end it is the load that this makes
    with Server(terminology, "--workers", "2", "--poll", "1") as server:
        samples, statuses, swaps = asyncio.run(_soak(server, questions, seconds))
    step = max(1, len(samples) // 10)
    yield f"{seconds:g} s with two processes: 2 clients that link (of 3,000 mentions), 2 that annotate, 2 that search, 1 with batches, "
    yield f"the hostile ones above, and the terminology opened anew {swaps} times; load {os.getloadavg()[0]:.1f} at the end. "
    yield f"Answers by status: {', '.join(f'{status}: {count:,}' for status, count in sorted(statuses.items()))}.{busy}\n"
    yield "| minute | Pss, sum, MB | of which private | files, sockets |\n|---:|---:|---:|---:|"
    for at, pss, private, files in samples[::step]:
        yield f"| {at / 60:.1f} | {pss:,.0f} | {private:,.0f} | {files} |"
    third = len(samples) // 3
    middle, last = (
        np.median([one[2] for one in part]) for part in (samples[third : 2 * third], samples[2 * third :])
    )
    yield "\nPrivate memory, median of the last third beside that of the middle one: "
    yield f"{last:,.0f} and {middle:,.0f} MB ({last / middle - 1:+.1%})."


async def _soak(server: Server, questions: Questions, seconds: float) -> tuple[list[Any], Counter[int], int]:
    end = time.perf_counter() + seconds
    statuses: Counter[int] = Counter()
    samples, swaps = [], 0

    async def one(ask: Ask) -> None:
        client = Client(server.port)
        while time.perf_counter() < end:
            status, _ = await ask(client)
            statuses[status] += 1
            await asyncio.sleep(0)
        client.close()

    asks = [questions.few] * 2 + [questions.annotate] * 2 + [questions.search] * 2 + [questions.few_lines]
    async with hostile(server.port, questions.texts):
        clients = [asyncio.create_task(one(ask)) for ask in asks]
        began = time.perf_counter()
        while time.perf_counter() < end:
            await asyncio.sleep(min(10, seconds / 30))
            found = await asyncio.to_thread(server.memory)
            children = Path(f"/proc/{server.process.pid}/task").glob("*/children")
            pids = [pid for file in children for pid in file.read_text().split()]
            files = sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in pids)
            pss, private = (sum(one[name] for one in found) / 1024 for name in ("Pss", "Pss_Anon"))
            samples.append((time.perf_counter() - began, pss, private, files))
            if len(samples) % 6 == 3:
                server.process.send_signal(signal.SIGHUP)
                swaps += 1
        await asyncio.gather(*clients)
    return samples, statuses, swaps


def main() -> None:
    """Measure, print, and write between the markers of a page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("terminology", type=Path)
    parser.add_argument("--corpus", type=Path, help="abstracts to annotate; the packaged ones if left out")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--soak", type=float, help="only that, for so many seconds")
    parser.add_argument("--write", type=Path, help="page with the markers <!-- load --> or <!-- soak -->")
    options = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # of hostile clients that are cut off
    questions = Questions(options.terminology, options.corpus)
    name = "soak" if options.soak else "load"
    lines = []
    for line in (
        soak(options.terminology, questions, options.soak)
        if options.soak
        else load(options.terminology, questions, options.seconds)
    ):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        said = "\n".join(lines).strip()
        marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        options.write.write_text(
            marked.sub(lambda found: f"{found[1]}{said}\n{found[2]}", page), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
