"""How fast `linnet annotate` is: the real server on this machine, a real browser, 20 annotators. Writes docs/performance.md.

    python benchmarks/annotate_speed.py [--terminology DIR] [--large DIR] [--database postgresql://…] [--only saves opening …]

A large terminology to type names of is made by `benchmarks/scale/generate.py` and `linnet terminology build`.

Wall time is what a person waits for, and depends on what else the machine does; processor time of the server stands beside it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from annotate_mentions import mention_figures
from annotate_page import page_figures
from annotate_server import PASSWORD, Caller, OpenPages, Server
from annotate_tables import Figure, replace, write
from annotate_typing import TYPED, typing_figures
from measuring import parser_of, quantile, seconds
from tables import machine

from linnet.annotate.api.pages import WEB
from linnet.link.starter import starter_terminology
from linnet.terminology import Terminology

ROOT = Path(__file__).parents[1]
ANNOTATORS = 20
WORDS, MARKS = 5000, 300
ABSTRACTS, MEASURED, PREDICTED = 100, 25, 100  # of the training set: annotated, held out, predicted anew
CORPUS = "corpora/ncbi-disease/NCBItrainset_corpus.txt"
_SEED = 11


@dataclass(frozen=True)
class Site:
    """A server with its first account. name: of the terminology that projects use; folder: where that is."""

    server: Server
    admin: Caller
    name: str
    terminology: Terminology


def main() -> None:
    """Measure, print, write."""
    options = _options()
    chosen: Sequence[str] = options.only or list(MEASURES)
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="linnet-annotate-speed-") as folder:
        named_paths = (options.terminology, options.diseases, options.large)
        terminologies = list(dict.fromkeys(path.resolve() for path in named_paths if path is not None))
        server = Server(Path(folder) / "data", database=options.database, terminologies=terminologies)
        try:
            admin = Caller(server.port)
            admin.sign_in("ada", first=True)
            site = _site(server, admin, options.terminology)
            for name in chosen:
                named = {"retraining": options.diseases, "typing": options.large or options.terminology}
                place = _site(server, admin, named[name]) if name in named else site
                found = MEASURES[name](place)
                figures += found
                for figure in found:
                    print(f"{name:<12} {figure.what:<90} {figure.got:>10,.1f} {figure.unit}", file=sys.stderr)
        finally:
            server.close()
    about = f"{machine()}, {'PostgreSQL' if options.database else 'SQLite'}"
    if options.json:
        options.json.write_text(
            json.dumps({"about": about, "figures": [asdict(one) for one in figures]}, indent=1)
        )
    if not options.only and not options.database:
        write(ROOT / "docs/performance.md", figures, about)
    elif options.only == ["typing"] and options.large:
        replace(ROOT / "docs/performance.md", TYPED, figures)
    sys.exit(not all(figure.met for figure in figures))


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--terminology", type=Path, help="a compiled one, indexed; default: the packaged starter"
    )
    parser.add_argument("--diseases", type=Path, help="the one for retraining; default: the starter")
    parser.add_argument("--large", type=Path, help="the one for typing, which needs its search index only")
    parser.add_argument("--database", default="", help="URL of an empty PostgreSQL database; default: SQLite")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=list(MEASURES),
        help="measure these, write no table; typing with --large puts its lines into the present one",
    )
    parser.add_argument("--json", type=Path, help="also write the figures here")
    return parser.parse_args()


def _site(server: Server, admin: Caller, path: Path | None) -> Site:
    if path is None:
        return Site(server, admin, "starter", Terminology.open(starter_terminology()))
    return Site(server, admin, path.resolve().name, Terminology.open(path))


def bundle(site: Site) -> list[Figure]:
    """Everything the page loads."""
    size = sum(len(gzip.compress(path.read_bytes())) for path in WEB.rglob("*") if path.is_file())
    return [Figure("the page's scripts, styles and pictures, gzipped", size / 1000, "kB", 250)]


def opening(site: Site) -> list[Figure]:
    """The first page, and a long document, in a browser."""
    project = _project(site, "Opening")
    site.admin.upload(project, "long.txt", _long_document(site.terminology), complete="false")
    [document] = site.admin.call("GET", f"/projects/{project}/documents")["documents"]
    path = f"/documents/{document['id']}"
    marks = len(site.admin.call("GET", path)["annotations"])
    if marks < MARKS:
        raise RuntimeError(f"the long document has {marks} annotations; expected at least {MARKS}")
    page = page_figures(
        site.server.address,
        site.admin.cookie,
        project=project,
        name=document["name"],
        document=document["id"],
        marks=marks,
        rounds=15,
    )
    calls, cpu = _repeated(site.server, 60, lambda: site.admin.call("GET", path))
    size = f"{WORDS:,} words, {marks} annotations"
    work = page["work"]
    kinds = ", ".join(
        f"{kind.removesuffix('Duration').lower()} {work[kind]:.0f}" for kind in work if kind != "TaskDuration"
    )
    return [
        *_spread(
            "first page in a new browser, nothing cached, until it can be filled in", page["first page"], 1000
        ),
        *_spread("list of projects in a new browser", page["projects"], 1000),
        *_spread(f"click on a document of {size}, until all are painted", page["click"], 300),
        *_spread("the same document by its address in a new browser", page["address"], 1000),
        Figure(f"browser's work for the click ({kinds})", work["TaskDuration"], "ms"),
        Figure("the request for it, median", 1000 * quantile(calls, 0.5), "ms"),
        Figure("the request for it, server's processor time", 1000 * cpu, "ms"),
    ]


def saves(site: Site) -> list[Figure]:
    """Annotators who make annotations and link them, each in a document of their own, with the page open."""
    project = _project(site, "Saves")
    text = "".join(
        f"{number}|t|Case {number}\n{number}|a|{_filler(250, number)}\n\n"
        for number in range(1, ANNOTATORS + 1)
    )
    site.admin.upload(project, "cases.txt", text)
    listed = site.admin.call("GET", f"/projects/{project}/documents", limit=ANNOTATORS, order="id")
    people = []
    for number, document in enumerate(listed["documents"]):
        account = {"name": f"annotator{number}", "password": PASSWORD, "role": "annotator"}
        site.admin.call("POST", "/users", account)
        site.admin.call("PUT", f"/projects/{project}/members/{account['name']}", {"role": "annotator"})
        caller = Caller(site.server.port)
        caller.sign_in(account["name"])
        people.append(_Annotator(caller, site, document["id"], number))
    pages = OpenPages([one.caller for one in people], project)
    try:
        time.sleep(1)
        figures = []
        for name, rounds, pause, limit in (
            ("one save a second each", 40, 1.0, 100.0),
            ("as fast as each is answered", 40, 0.0, None),
        ):
            times, cpu, took = _together(site.server, people, rounds, pause)
            what, each = f"{ANNOTATORS} annotators, {name}", 1000 * cpu / len(times)
            figures += [
                Figure(f"{what}: median", 1000 * quantile(times, 0.5), "ms"),
                Figure(f"{what}: p95", 1000 * quantile(times, 0.95), "ms", limit),
                Figure(f"{what}: p99", 1000 * quantile(times, 0.99), "ms"),
                Figure(f"{what}: saves a second", len(times) / took, ""),
                Figure(f"{what}: server's processor time a save, events included", each, "ms"),
            ]
    finally:
        pages.close()
    calls, cpu = _repeated(site.server, 200, people[0].save)
    return [
        *figures,
        Figure("one annotator alone, as fast as answered: median", 1000 * quantile(calls, 0.5), "ms"),
        Figure("one annotator alone: server's processor time a save", 1000 * cpu, "ms"),
    ]


class _Annotator:
    """Makes an annotation, links it, makes the next one; every step is a save."""

    def __init__(self, caller: Caller, site: Site, document: int, seed: int) -> None:
        self.caller = caller
        self._path = f"/documents/{document}"
        view = caller.call("GET", self._path)
        self._revision = view["revision"]
        self._words = _places(view["text"])
        self._made = 0
        self._waiting: int | None = None
        generator = random.Random(seed)
        rows = [generator.randrange(len(site.terminology)) for _ in range(50)]
        self._concepts = [site.terminology.ids[row] for row in rows]

    def save(self) -> None:
        """The next step."""
        if self._waiting is None:
            # Where the words are used up, spans of two words, and so on.
            long, place = divmod(self._made, len(self._words) - 20)
            start, end = self._words[place][0], self._words[place + long][1]
            body = {"start": start, "end": end, "revision": self._revision}
            change = self.caller.call("POST", f"{self._path}/annotations", body)
            self._made += 1
            self._waiting = change["changed"][-1]["id"]
        else:
            body = {"concepts": [self._concepts[self._made % 50]], "revision": self._revision}
            change = self.caller.call("PATCH", f"{self._path}/annotations/{self._waiting}", body)
            self._waiting = None
        self._revision = change["revision"]


def _together(
    server: Server, people: Sequence[_Annotator], rounds: int, pause: float
) -> tuple[list[float], float, float]:
    """Seconds of every save, the server's processor time, and how long it took."""
    times: list[float] = []
    begin = threading.Barrier(len(people) + 1)

    def work(one: _Annotator, seed: int) -> None:
        generator = random.Random(seed)
        begin.wait()
        for _ in range(rounds):
            time.sleep(generator.uniform(0, 2 * pause))
            times.append(seconds(one.save))

    threads = [threading.Thread(target=work, args=(one, number)) for number, one in enumerate(people)]
    for thread in threads:
        thread.start()
    before, start = server.cpu(), time.perf_counter()
    begin.wait()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - start
    if len(times) != rounds * len(people):
        raise RuntimeError(f"{rounds * len(people) - len(times)} saves failed")
    return times, server.cpu() - before, took


def typing(site: Site) -> list[Figure]:
    """Searching letter by letter."""
    return typing_figures(site.server, site.admin, site.name, site.terminology)


def helper(site: Site) -> list[Figure]:
    """The linker's candidates, a concept with its place in the hierarchy."""
    project = _project(site, "Helper")
    generator = random.Random(_SEED)
    names = [
        name
        for row in generator.sample(range(len(site.terminology)), min(120, len(site.terminology)))
        if len(name := site.terminology.name(row)) > 4
    ]
    text = "1|t|Candidates\n1|a|" + " and ".join(names[:60]).replace("\n", " ")
    site.admin.upload(project, "one.txt", text)
    [document] = site.admin.call("GET", f"/projects/{project}/documents")["documents"]
    shown = site.admin.call("GET", f"/documents/{document['id']}")["text"]
    spans = [(start, start + len(name)) for name in names[:60] if (start := shown.find(name)) >= 0]
    places = iter([*spans[:1], *spans])
    path = f"/documents/{document['id']}/candidates"

    def ask() -> None:
        start, end = next(places)
        site.admin.call("GET", path, start=start, end=end, k=10)

    first = seconds(ask)
    links, linking = _repeated(site.server, len(spans), ask)
    ids = iter([site.terminology.ids[generator.randrange(len(site.terminology))] for _ in range(100)])
    cards, _ = _repeated(
        site.server,
        100,
        lambda: site.admin.call("GET", f"/projects/{project}/concept", id=next(ids)),
    )
    size = f"{len(site.terminology.names):,} names"
    return [
        Figure("the linker's first candidates after its start", 1000 * first, "ms"),
        Figure(f"the linker's candidates for a mention, {size}: median", 1000 * quantile(links, 0.5), "ms"),
        Figure(f"the linker's candidates for a mention, {size}: p95", 1000 * quantile(links, 0.95), "ms"),
        Figure("the linker's candidates: server's processor time a mention", 1000 * linking, "ms"),
        Figure("all that is known of a concept: p95", 1000 * quantile(cards, 0.95), "ms"),
    ]


def mentions(site: Site) -> list[Figure]:
    """Searching the mentions of all documents."""
    return mention_figures(site.admin, _project(site, "Mentions"), site.terminology)


def retraining(site: Site) -> list[Figure]:
    """From the click on Train until the predictions are new, on abstracts of the NCBI disease corpus's training set."""
    root = os.environ.get("LINNET_DATA")
    if not root:
        print("retraining    needs LINNET_DATA, the folder with corpora/; left out", file=sys.stderr)
        return []
    whole = (Path(root) / CORPUS).read_text(encoding="utf-8").strip().split("\n\n")
    project = _project(site, "Retraining")
    site.admin.upload(project, "measured.txt", "\n\n".join(whole[:MEASURED]))
    for document in site.admin.call("GET", f"/projects/{project}/documents", limit=500)["documents"]:
        site.admin.call("PATCH", f"/documents/{document['id']}", {"held_out": True})
    taught = whole[MEASURED : MEASURED + ABSTRACTS]
    site.admin.upload(project, "taught.txt", "\n\n".join(taught))
    fresh = whole[MEASURED + ABSTRACTS : MEASURED + ABSTRACTS + PREDICTED]
    site.admin.upload(project, "open.txt", "\n\n".join(fresh), annotations="drop")
    before, start = site.server.trainer_cpu(), time.perf_counter()
    site.admin.call("POST", f"/projects/{project}/jobs", {"kind": "train"})
    site.admin.wait(project)
    took, cpu = time.perf_counter() - start, site.server.trainer_cpu() - before
    version = site.admin.call("GET", f"/projects/{project}/models")[0]
    what = f"retraining on {version['documents']} abstracts, {version['mentions']:,} mentions"
    return [
        Figure(f"{what}, {PREDICTED} predicted anew, {MEASURED} measured on", took, "s", 180),
        Figure("retraining: trainer's processor time", cpu, "s"),
    ]


MEASURES: dict[str, Callable[[Site], list[Figure]]] = {
    "bundle": bundle,
    "opening": opening,
    "saves": saves,
    "typing": typing,
    "helper": helper,
    "mentions": mentions,
    "retraining": retraining,
}


def _project(site: Site, name: str) -> int:
    wanted = {"name": name, "terminology": site.name, "held_out": 0, "recogniser": "dictionary"}
    project = site.admin.call("POST", "/projects", wanted)["id"]
    site.admin.wait(project)
    return int(project)


def _long_document(terminology: Terminology) -> str:
    """PubTator: a text of 5,000 words with 300 linked mentions, every tenth with another around it."""
    generator = random.Random(_SEED)
    words: list[str] = []
    mentions: list[tuple[int, int, str]] = []
    length = len("Long") + 1
    made = 0
    while len(words) < WORDS:
        row = generator.randrange(len(terminology))
        name = " ".join(terminology.name(row).split())
        if made < MARKS and len(words) >= made * (WORDS - 60) / MARKS and len(name.split()) < 8:
            mentions.append((length, length + len(name), terminology.ids[row]))
            made += 1
            if made % 10 == 0 and made < MARKS:
                before = words[-1]
                mentions.append((length - len(before) - 1, length + len(name), terminology.ids[row]))
                made += 1
            piece = name
        else:
            piece = f"w{generator.randrange(10**6)}"
        words += piece.split()
        length += len(piece) + 1
    text = " ".join(words)
    whole = f"Long {text}"
    lines = [f"1\t{start}\t{end}\t{whole[start:end]}\tDisease\t{id}" for start, end, id in mentions]
    return f"1|t|Long\n1|a|{text}\n" + "\n".join(lines) + "\n"


def _filler(count: int, seed: int) -> str:
    generator = random.Random(seed)
    return " ".join(f"w{generator.randrange(10**6)}" for _ in range(count))


def _places(text: str) -> list[tuple[int, int]]:
    found, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        found.append((start, start + len(word)))
        start += len(word)
    return found


def _repeated(server: Server, times: int, call: Callable[[], object]) -> tuple[list[float], float]:
    """Seconds of every call, and the server's processor seconds of one on average."""
    before = server.cpu()
    took = [seconds(call) for _ in range(times)]
    return took, (server.cpu() - before) / times


def _spread(what: str, milliseconds: Sequence[float], limit: float) -> Iterator[Figure]:
    yield Figure(f"{what}: median", quantile(milliseconds, 0.5), "ms", limit)
    yield Figure(f"{what}: p95", quantile(milliseconds, 0.95), "ms")


if __name__ == "__main__":
    main()
