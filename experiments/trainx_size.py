"""TrainX's comparison of exact search with HNSW at the size of the UMLS, where the paper has it: recall, time, memory.

    python experiments/trainx_size.py           (LINNET_DATA says where corpora and terminologies are)

Names of open terminologies are encoded and linked into one growing graph. At each size the dev mentions are looked for, exactly
and by graph, in turns in one process. Goes on where it was interrupted, and writes its table into docs/results/trainx.md. Needs
5 GB of memory and an hour and a half of processor time, on one thread.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"

import faiss
import numpy as np
from harness import DATA, HERE, Kept, read_plan, say, write_page
from paper_corpora import TITLES
from result_tables import Right, markdown, percent
from trainx_data import PLAN, Plan, Source

from linnet.encode import load_encoder, unit
from linnet.retrieve.fixed_point import FixedPointVectors, Neighbours, to_fixed_point
from linnet.retrieve.hashing import hash_texts
from linnet.retrieve.hnsw import HnswGraph
from linnet.terminology.readers import read
from linnet.words.text import simplify

_SIZE = 3_600_000  # concepts of the UMLS in the paper, each with one vector
_K, _ALONE, _TOGETHER, _CHUNK = 20, 25, 256, 1 << 15
_CORPORA = {"bc5cdr-disease": "medic", "bc5cdr-chemical": "mesh"}
_SECTION = """
Exact search and HNSW among names of open terminologies (those of `benchmarks/scale` and UNII; *recombined*: made of their parts by
`benchmarks/scale/generate.py`), encoded by linnet's `ngram`, which has seen no annotation; one thread, in turns in one process,
processor time on a machine with other work, so only ratios count:

"""


class Sizes:
    """Vectors of distinct names, and the dev mentions that are looked for among the first of them."""

    def __init__(self, plan: Plan) -> None:
        self.folder = plan.work / "size"
        self.kept = Kept(self.folder)
        self.sources = {corpus: Source(plan, name) for corpus, name in _CORPORA.items()}
        self.encoder: Any = load_encoder("ngram", threads=1)

    def steps(self) -> dict[str, Callable[[], Iterator[str]]]:
        """What is searched, and the names that it adds to those before."""
        if str(scale := HERE.parent / "benchmarks/scale") not in sys.path:
            sys.path.append(str(scale))
        from generate import generate
        from sources import read_seeds

        def real() -> Iterator[str]:
            unii = read(DATA / "terminologies/other/unii_names.tsv.gz")
            every = chain((one.names for one in read_seeds(DATA)), (one.all_names for one in unii))
            return chain.from_iterable(every)

        def made() -> Iterator[str]:
            concepts = generate(read_seeds(DATA), concepts=_SIZE, names=2 * _SIZE)
            return chain.from_iterable(one.names for one in concepts)

        own = (source.terminology.names for source in self.sources.values())
        return {
            "MEDIC and MeSH": lambda: chain.from_iterable(own),
            "all open names": real,
            "with recombined names": made,
        }

    def encode(self, names: Iterator[str], before: int) -> int:
        """Write the vectors and hashes of names whose forms are not among the first `before`; how many there are then."""
        vectors, hashes = (
            self.file("vectors", np.int16, self.encoder.dimensions),
            self.file("hashes", np.uint64),
        )
        seen, pending = set(hashes[:before].tolist()), list[str]()
        for name in chain(names, [""]):
            form = simplify(name)
            [key] = hash_texts([form]).tolist()
            if form and key not in seen and len(seen) < _SIZE:
                hashes[len(seen)] = key
                seen.add(key)
                pending.append(form)
            if pending and (not name or len(pending) == _CHUNK or len(seen) == _SIZE):
                vectors[len(seen) - len(pending) : len(seen)] = self.fixed(pending)
                pending = []
            if len(seen) == _SIZE:
                break
        vectors.flush()
        hashes.flush()
        return len(seen)

    def file(self, name: str, kind: type[Any], *shape: int) -> Any:
        """An array of a row for each name, mapped; made where it is not there."""
        file = self.folder / f"{name}.npy"
        if file.is_file():
            return np.load(file, mmap_mode="r+")
        self.folder.mkdir(parents=True, exist_ok=True)
        return np.lib.format.open_memmap(file, "w+", kind, (_SIZE, *shape))

    def fixed(self, texts: list[str]) -> Any:
        """(N, D) unit vectors; names without features are zeros."""
        return to_fixed_point(unit(self.encoder.encode(texts)))

    def grow(self) -> Iterator[str]:
        """Encode, link and measure, step by step; the name of each step that is done."""
        end, seconds = 0, 0.0
        for title, names in self.steps().items():
            if not self.kept.has(title):
                self.link(title, self.encode(names(), end), seconds)
            facts = self.kept.facts(title)
            end, seconds = facts["names"], facts["linked"]
            yield title

    def link(self, title: str, end: int, seconds: float) -> None:
        """Add to the graph, and measure. seconds: of the steps before"""
        file, vectors = self.folder / "graph.faiss", self.file("vectors", np.int16)[:end]
        if file.is_file():
            index = faiss.read_index(str(file))
        else:
            index = faiss.IndexHNSWFlat(vectors.shape[1], 16, faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction = 100  # as `HnswGraph`, and the paper
        began = time.process_time()
        for start in range(index.ntotal, end, _CHUNK):
            index.add(vectors[start : min(start + _CHUNK, end)].astype(np.float32) / (2**15 - 1))
            say(f"{title}: {index.ntotal:,} of {end:,} linked in {time.process_time() - began:.0f} s")
        facts = {"names": end, "linked": seconds + time.process_time() - began}
        faiss.write_index(index, str(file))
        self.measure(title, vectors, HnswGraph(index, threads=1), {**facts, "graph": file.stat().st_size})

    def measure(self, title: str, vectors: Any, graph: HnswGraph, facts: dict[str, Any]) -> None:
        """Search for the texts of all mentions, some alone, then all in batches: exactly and by graph, in turns."""
        exact, texts = FixedPointVectors(vectors), {}
        for corpus, source in self.sources.items():
            for text in source.dev[corpus].texts:
                texts.setdefault(simplify(text), len(texts))
        queries = self.fixed(list(texts))
        ways: dict[str, Callable[[Any], Neighbours]] = {
            "exact": lambda some: exact.nearest(some, groups=_K),
            "hnsw": lambda some: graph.nearest(some, count=_K),
        }
        alone, together = dict.fromkeys(ways, 0.0), dict.fromkeys(ways, 0.0)
        rows: dict[str, list[Any]] = {name: [] for name in ways}
        scores: dict[str, list[Any]] = {name: [] for name in ways}
        blocks = [(alone, slice(i, i + 1)) for i in range(0, len(texts), max(1, len(texts) // _ALONE))]
        blocks += [(together, slice(i, i + _TOGETHER)) for i in range(0, len(texts), _TOGETHER)]
        for took, part in blocks:
            for name, search in ways.items():
                began = time.process_time()
                best = _best(exact, queries[part], search(queries[part]))
                took[name] += time.process_time() - began
                if took is together:
                    rows[name].append(best[0])
                    scores[name].append(best[1])
        found = {name: np.concatenate(parts) for name, parts in rows.items()}
        near = {name: np.concatenate(parts) for name, parts in scores.items()}
        recall = (near["hnsw"] >= near["exact"][:, -1:] - 1e-6).mean()
        first = (near["hnsw"][:, 0] >= near["exact"][:, 0] - 1e-6).mean()
        count = len(blocks) - -(-len(texts) // _TOGETHER)
        facts |= {f"{name} alone": 1000 * alone[name] / count for name in ways}
        facts |= {f"{name} together": 1000 * together[name] / len(texts) for name in ways}
        facts |= {"recall": float(recall), "first": float(first), "texts": len(texts)}
        facts["peak"] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        right = {
            f"{name}-{corpus}": self.right(corpus, found[name], texts) for name in ways for corpus in _CORPORA
        }
        self.kept.keep(title, facts=facts, **right)
        say(f"{facts}")

    def right(self, corpus: str, found: Any, texts: dict[str, int]) -> Any:
        """(M, 2) whether the first name, and any of the first K, is one of the right concept's."""
        source, linked = self.sources[corpus], self.sources[corpus].dev[corpus]
        hashes = self.file("hashes", np.uint64)
        here, rows = source.terminology, []
        for text, concept in zip(linked.texts, linked.concepts.tolist(), strict=True):
            own = hash_texts([simplify(name) for name in here.names.take(here.name_rows(concept))])
            hit = np.isin(hashes[found[texts[simplify(text)]]], own)
            rows.append((hit[0], hit.any()))
        return np.array(rows)

    def table(self) -> str:
        """A row for each size that is done and each way to search."""
        rows = []
        for step in filter(self.kept.has, self.steps()):
            facts, right = self.kept.facts(step), self.kept.arrays(step)
            for name, title in (("exact", "exact"), ("hnsw", "HNSW")):
                graph = name == "hnsw"
                cells = []
                for corpus, source in self.sources.items():
                    documents = [mention.document.id for mention in source.dev[corpus].mentions]
                    flags = right[f"{name}-{corpus}"].T
                    cells += [str(Right(flags[:1], documents)), percent(flags[1].mean())]
                size = facts["graph"] if graph else 2 * facts["names"] * self.encoder.dimensions
                rows.append((
                    f"{step}, {facts['names']:,}", title, *cells,
                    f"{percent(facts['first'])} / {percent(facts['recall'])}" if graph else "",
                    f"{facts[f'{name} alone']:.2f}", f"{facts[f'{name} together']:.2f}",
                    f"{size / 1e9:.2f}", f"{facts['linked'] / 60:.0f}" if graph else "",
                ))  # fmt: skip
        of_corpora = [f"{TITLES[corpus]}: {what}" for corpus in _CORPORA for what in ("R@1", f"R@{_K}")]
        times = ("ms a query alone", f"ms in batches of {_TOGETHER}", "GB", "minutes to link")
        return markdown(("names", "search", *of_corpora, f"of the exact 1st / {_K} found, %", *times), rows)


def _best(exact: FixedPointVectors, queries: Any, found: Neighbours) -> tuple[Any, Any]:
    """(N, K) rows and scores of the K best candidates, best first, the lower row of equals."""
    scores = exact.scores(queries, found)
    order = np.lexsort((found.forms, -scores, found.queries))
    starts = np.searchsorted(found.queries[order], np.arange(len(queries)))
    places = order[starts[:, None] + np.arange(_K)]
    return found.forms[places], scores[places]


def main() -> None:
    """Everything that is not there yet, and the page after each step."""
    plan = read_plan(PLAN, Plan)
    sizes = Sizes(plan)
    for _ in sizes.grow():
        write_page(plan.results / "trainx.md", plan, {"size": _SECTION + sizes.table()})


if __name__ == "__main__":
    main()
