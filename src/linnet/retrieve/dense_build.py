"""Writing a dense index: all forms of the names encoded, and what its search wants besides.

Encoding takes longest. It goes on where a killed build was (`work.py`), leaves out what an older index has
(`vector_reuse.py`), and is shared by several processes where it is the n-gram encoder's, which uses one thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linnet import text
from linnet.arrays import Floats2d
from linnet.cores import cores
from linnet.encode import Encoder, load_encoder, unit
from linnet.encode.named_models import SHIPPED, model_place
from linnet.encode.ngram import NgramEncoder
from linnet.processes import pool
from linnet.retrieve.build_checkpoint import BuildCheckpoint, open_array, open_checkpoint
from linnet.retrieve.fixed_point import to_fixed_point
from linnet.retrieve.index import INDEX_VERSION, index_path, writing_index
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.vector_reuse import HASHES, ReusableVectors
from linnet.terminology import Terminology

__all__ = ["UNTRAINED", "Advanced", "write_dense"]

# Told what is being done, how much of it is done, and of how much.
Advanced = Callable[[str, int, int], None]

UNTRAINED = "untrained"
# Forms above which the form is "ivf" if none is asked for. Chosen by processor time on one thread, dev sets of NCBI and BC5CDR:
# against MeSH 2024 (311,000 forms) "flat" takes 0.8 to 1.8 times as long for batches and 5.6 to 7.4 times for single mentions;
# against 102,000 forms of it 0.65 and 2.3 times, against MEDIC 2012 (71,000) 0.35 to 0.42 and 1.3 times.
_LARGE = 200_000
# Texts to encode below which starting processes costs more than it saves.
_WORTH_PROCESSES = 1 << 19


class _Batch(NamedTuple):
    """Forms `part`: which of them are new, the raw vectors of those, and the rows that an older index has of the others."""

    part: slice
    new: Any
    vectors: Floats2d
    old: Any


def write_dense(
    terminology: Terminology,
    name: str,
    *,
    kind: str,
    encoder: Encoder | str | Path,
    form: str | None,
    metric: str,
    reuse_from: Path | None = None,
    threads: int | None = None,
    advanced: Advanced | None = None,
) -> Encoder:
    """Write `index/NAME`; the encoder it was built with.

    form   None to choose by size
    carry  an older index: the vectors that it has of the same texts are taken over; the result is the same
    """
    tell = advanced or (lambda what, done, total: None)
    home = index_path(terminology, name)
    with open_checkpoint(home) as work:
        tell("reading names", 0, 1)
        forms, texts = NameForms.write(work.index, terminology)
        form = form or ("ivf" if len(forms) > _LARGE else "flat")
        opened, source = _encoder_for(encoder, texts, work.index, threads)
        options: dict[str, Any] = {
            "form": form,
            "metric": metric,
            "encoder": {
                "name": opened.name,
                "digest": opened.digest,
                "dimensions": opened.dimensions,
                "source": source,
            },
        }
        stamp = {
            "index": INDEX_VERSION,
            "text": text.VERSION,
            "terminology": terminology.digest,
            "options": options,
        }
        work.begin(stamp)
        np.save(work.index / HASHES, texts.hashes)
        old = None
        if reuse_from is not None and metric == "cosine":
            old = ReusableVectors.of(reuse_from, encoder=opened.digest)
        place = str(source or work.index / "encoder") if isinstance(opened, NgramEncoder) else None
        workers = threads or cores()

        def encoded(start: int) -> Iterator[_Batch]:
            return _encoded(opened, place, texts, start, old, workers)

        folder = work.path if form == "ivf" else work.index
        vectors, longest = _write_vectors(work, folder, encoded, forms, old, opened.dimensions, metric, tell)
        if form == "ivf":
            from linnet.retrieve.ivf_build import write_lists

            order = write_lists(work, vectors, threads=workers, advanced=tell)
            forms.reorder(work.index, order)
            np.save(work.index / HASHES, texts.hashes[order])
        if form == "hnsw":
            from linnet.retrieve.hnsw import HnswGraph

            tell("linking", 0, 1)
            HnswGraph.build(vectors, threads=threads).write(work.index / "graph.faiss")
        with writing_index(terminology, name, kind=kind, options={**options, "longest": longest}) as draft:
            work.move(draft)
    return opened


def _encoder_for(
    encoder: Encoder | str | Path, texts: FormTexts, index: Path, threads: int | None
) -> tuple[Encoder, str]:
    """The encoder, and how to find it again: "" when it lies in the index, None when only the caller knows."""
    if encoder == UNTRAINED:
        fitted = NgramEncoder.untrained(chain.from_iterable(texts))
        return fitted.save(index / "encoder"), ""
    if isinstance(encoder, str | Path):
        place = model_place(encoder)
        own = place.is_dir() and place.parent != SHIPPED
        return load_encoder(encoder, threads=threads), str(place.resolve() if own else encoder)
    if isinstance(encoder, NgramEncoder):
        return encoder.save(index / "encoder"), ""
    return encoder, encoder.name


def _encoded(
    encoder: Encoder,
    place: str | None,
    texts: FormTexts,
    start: int,
    old: ReusableVectors | None,
    workers: int,
) -> Iterator[_Batch]:
    """All forms from `start` on, in order, some thousands at a time.

    place  where other processes find the encoder; None where it uses all cores by itself
    """
    batches = _unknown(texts, start, old)
    if place is None or workers < 2 or len(texts.hashes) - start < _WORTH_PROCESSES:
        for batch, wanted in batches:
            yield batch._replace(vectors=encoder.encode(wanted))
        return
    waiting: deque[tuple[_Batch, Future[Floats2d]]] = deque()
    with pool(workers) as processes:
        for batch, wanted in batches:
            waiting.append((batch, processes.submit(_encode, place, wanted)))
            if len(waiting) > 2 * workers:
                first, future = waiting.popleft()
                yield first._replace(vectors=future.result())
        for first, future in waiting:
            yield first._replace(vectors=future.result())


def _unknown(texts: FormTexts, start: int, old: ReusableVectors | None) -> Iterator[tuple[_Batch, list[str]]]:
    """Batches without vectors, and the texts to encode for each."""
    nothing = np.zeros((0, 0), np.float32)
    for first, some in texts.after(start):
        part = slice(first, first + len(some))
        if old is None:
            yield _Batch(part, slice(None), nothing, None), some
            continue
        known, rows = old.find(texts.hashes[part])
        wanted = [text for text, there in zip(some, known, strict=True) if not there]
        yield _Batch(part, ~known, nothing, (known, rows)), wanted


@lru_cache(maxsize=1)
def _opened(place: str) -> Encoder:
    return load_encoder(place, threads=1)


def _encode(place: str, texts: list[str]) -> Floats2d:
    """In a process of its own."""
    return _opened(place).encode(texts)


def _write_vectors(
    work: BuildCheckpoint,
    folder: Path,
    encoded: Callable[[int], Iterable[_Batch]],
    forms: NameForms,
    old: ReusableVectors | None,
    dimensions: int,
    metric: str,
    tell: Advanced,
) -> tuple[Any, float | None]:
    """(F, D) 16-bit rows of all forms, mapped from `vectors.npy` in `folder`; the length of the longest for inner products."""
    total, done = len(forms), work.done("encoding")
    longest = None
    if metric == "inner":
        longest = max(float(np.linalg.norm(batch.vectors, axis=1).max()) for batch in encoded(0)) or 1.0
    rows = open_array(folder / "vectors.npy", np.int16, (total, dimensions), keep=done > 0)
    for batch in encoded(done) if done < total else ():
        here = rows[batch.part]
        here[batch.new] = to_fixed_point(unit(batch.vectors) if longest is None else batch.vectors / longest)
        if old is not None:
            known, at = batch.old
            here[known] = old.vectors[at]
        _recorded(work, batch.part.stop, total, rows)
        tell("encoding", batch.part.stop, total)
    return rows, longest


def _recorded(work: BuildCheckpoint, done: int, total: int, written: Any) -> None:
    if work.due() or done == total:
        written.flush()
        work.record("encoding", done)
