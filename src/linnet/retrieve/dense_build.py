"""Build a dense index: encode all forms of the names, and write the search structures.

Encoding takes longest. It continues where a killed build stopped (`build_checkpoint.py`), reuses the vectors of an older
index (`vector_reuse.py`), and is shared among processes if the encoder is an n-gram encoder, which uses one thread.
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

from linnet.arrays import Floats2d
from linnet.encode import Encoder, load_encoder, unit
from linnet.encode.ngram import NgramEncoder
from linnet.retrieve.build_checkpoint import BuildCheckpoint, open_array, open_checkpoint
from linnet.retrieve.encoder_stamp import encoder_source, encoder_stamp
from linnet.retrieve.fixed_point import to_fixed_point
from linnet.retrieve.index import INDEX_VERSION, index_path, writing_index
from linnet.retrieve.name_forms import FormTexts, NameForms
from linnet.retrieve.vector_reuse import HASHES, ReusableVectors
from linnet.system.cores import cores
from linnet.system.processes import pool
from linnet.terminology import Terminology
from linnet.words import text

__all__ = ["UNTRAINED", "Progress", "write_dense"]

# Called with the name of the step, the amount done, and the total.
Progress = Callable[[str, int, int], None]

UNTRAINED = "untrained"
# With more forms than this, the default is "ivf". Chosen by processor time on one thread, dev sets of NCBI and BC5CDR: for MeSH
# 2024 (311,000 forms) "flat" takes 0.8 to 1.8 times as long for batches and 5.6 to 7.4 times for single mentions; for 102,000
# of its forms 0.65 and 2.3 times, for MEDIC 2012 (71,000) 0.35 to 0.42 and 1.3 times.
_LARGE = 200_000
# For fewer texts, starting processes costs more than it saves.
_WORTH_PROCESSES = 1 << 19


class _Batch(NamedTuple):
    """Some forms.

    rows     which forms                          vectors  raw vectors of the new ones
    is_new   which of them have to be encoded     old      rows of the others in an older index
    """

    rows: slice
    is_new: Any
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
    progress: Progress | None = None,
) -> Encoder:
    """Write `index/NAME` and return the encoder it was built with.

    form        None: choose by size
    reuse_from  an older index, whose vectors of the same texts are reused; the result is the same
    """
    progress = progress or (lambda step, done, total: None)
    with open_checkpoint(index_path(terminology, name)) as work:
        progress("reading names", 0, 1)
        forms, texts = NameForms.write(work.index, terminology)
        form = form or ("ivf" if len(forms) > _LARGE else "flat")
        opened, source = _encoder_for(encoder, texts, work.index, threads)
        options: dict[str, Any] = {"form": form, "metric": metric, "encoder": encoder_stamp(opened, source)}
        versions = {"index": INDEX_VERSION, "text": text.VERSION}
        work.begin({**versions, "terminology": terminology.digest, "options": options})
        np.save(work.index / HASHES, texts.hashes)
        old = None
        if reuse_from is not None and metric == "cosine":
            old = ReusableVectors.of(reuse_from, encoder=opened.digest)
        encoder_path = str(source or work.index / "encoder") if isinstance(opened, NgramEncoder) else None
        workers = threads or cores()

        def encode_from(start: int) -> Iterator[_Batch]:
            return _encode_from(start, opened, encoder_path, texts, old, workers)

        folder = work.path if form == "ivf" else work.index
        vectors, longest = _write_vectors(
            work, folder, encode_from, forms, old, opened.dimensions, metric, progress
        )
        if form == "ivf":
            from linnet.retrieve.ivf_build import write_lists

            order = write_lists(work, vectors, threads=workers, advanced=progress)
            forms.reorder(work.index, order)
            np.save(work.index / HASHES, texts.hashes[order])
        if form == "hnsw":
            from linnet.retrieve.hnsw import HnswGraph

            progress("linking", 0, 1)
            HnswGraph.build(vectors, threads=threads).write(work.index / "graph.faiss")
        with writing_index(terminology, name, kind=kind, options={**options, "longest": longest}) as draft:
            work.move(draft)
    return opened


def _encoder_for(
    encoder: Encoder | str | Path, texts: FormTexts, index: Path, threads: int | None
) -> tuple[Encoder, str]:
    """The encoder, and its path or name; "" if it is stored in the index."""
    if encoder == UNTRAINED:
        fitted = NgramEncoder.untrained(chain.from_iterable(texts))
        return fitted.save(index / "encoder"), ""
    if isinstance(encoder, str | Path):
        return load_encoder(encoder, threads=threads), encoder_source(encoder)
    if isinstance(encoder, NgramEncoder):
        return encoder.save(index / "encoder"), ""
    return encoder, encoder.name


def _encode_from(
    start: int,
    encoder: Encoder,
    encoder_path: str | None,
    texts: FormTexts,
    old: ReusableVectors | None,
    workers: int,
) -> Iterator[_Batch]:
    """All forms from `start` on, in order, in batches of some thousands.

    encoder_path  where other processes find the encoder; None: encode in this process
    """
    batches = _batches_from(start, texts, old)
    if encoder_path is None or workers < 2 or len(texts.hashes) - start < _WORTH_PROCESSES:
        for batch, new_texts in batches:
            yield batch._replace(vectors=encoder.encode(new_texts))
        return
    pending: deque[tuple[_Batch, Future[Floats2d]]] = deque()
    with pool(workers) as processes:
        for batch, new_texts in batches:
            pending.append((batch, processes.submit(_encode, encoder_path, new_texts)))
            if len(pending) > 2 * workers:
                first, future = pending.popleft()
                yield first._replace(vectors=future.result())
        for first, future in pending:
            yield first._replace(vectors=future.result())


def _batches_from(
    start: int, texts: FormTexts, old: ReusableVectors | None
) -> Iterator[tuple[_Batch, list[str]]]:
    """Batches without vectors, and the texts to encode for each."""
    nothing = np.zeros((0, 0), np.float32)
    for first, batch_texts in texts.after(start):
        rows = slice(first, first + len(batch_texts))
        if old is None:
            yield _Batch(rows, slice(None), nothing, None), batch_texts
            continue
        known, old_rows = old.find(texts.hashes[rows])
        new_texts = [text for text, is_known in zip(batch_texts, known, strict=True) if not is_known]
        yield _Batch(rows, ~known, nothing, old_rows), new_texts


@lru_cache(maxsize=1)
def _open(encoder_path: str) -> Encoder:
    return load_encoder(encoder_path, threads=1)


def _encode(encoder_path: str, texts: list[str]) -> Floats2d:
    """Runs in a process of its own."""
    return _open(encoder_path).encode(texts)


def _write_vectors(
    work: BuildCheckpoint,
    folder: Path,
    encode_from: Callable[[int], Iterable[_Batch]],
    forms: NameForms,
    old: ReusableVectors | None,
    dimensions: int,
    metric: str,
    progress: Progress,
) -> tuple[Any, float | None]:
    """(F, D) 16-bit vectors of all forms, mapped from `vectors.npy` in `folder`; for inner products the greatest length."""
    total, done = len(forms), work.done("encoding")
    longest = None
    if metric == "inner":
        longest = max(float(np.linalg.norm(batch.vectors, axis=1).max()) for batch in encode_from(0)) or 1.0
    vectors = open_array(folder / "vectors.npy", np.int16, (total, dimensions), keep=done > 0)
    for batch in encode_from(done) if done < total else ():
        rows = vectors[batch.rows]
        scaled = unit(batch.vectors) if longest is None else batch.vectors / longest
        rows[batch.is_new] = to_fixed_point(scaled)
        if old is not None:
            rows[~batch.is_new] = old.vectors[batch.old]
        done = batch.rows.stop
        if work.due() or done == total:
            vectors.flush()
            work.record("encoding", done)
        progress("encoding", done, total)
    return vectors, longest
