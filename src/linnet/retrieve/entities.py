"""Dense retrieval of concepts for mentions in context: one vector a concept, of its preferred name and its definition.

    form   search                                                     when
    flat   exact: every vector is compared                            up to 200,000 concepts
    hnsw   FAISS HNSW, m = 16, efConstruction = efSearch = 100        more; loses about a point of recall

The encoder is a model that `linnet train` made with task "two-tower". On disk: `vectors.npy`, 16-bit (`fixed_point.py`), in the
order of the concepts, `forms.hashes.npy`, and `graph.faiss`. Source: TrainX §3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from linnet.advice import Step
from linnet.arrays import Mask
from linnet.encode import unit
from linnet.encode.two_tower import TwoTowers, load_two_towers
from linnet.errors import UnknownNameError
from linnet.retrieve.build_checkpoint import open_array, open_checkpoint
from linnet.retrieve.dense_build import Progress
from linnet.retrieve.encoder_stamp import encoder_source, encoder_stamp, same_encoder
from linnet.retrieve.fixed_point import FixedPointVectors, to_fixed_point
from linnet.retrieve.hashing import hash_texts
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import INDEX_VERSION, index_path, open_index, writing_index
from linnet.retrieve.match_ranking import rank_matches
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.slices import run_in_slices
from linnet.retrieve.vector_reuse import HASHES, ReusableVectors
from linnet.system.cores import cores
from linnet.terminology import Terminology
from linnet.types import Mention
from linnet.words import text

if TYPE_CHECKING:  # FAISS is loaded for this only
    from linnet.retrieve.hnsw import HnswGraph

__all__ = ["FORMS", "EntityIndex"]

FORMS = ("flat", "hnsw")
# With more concepts than this, the default is "hnsw", as `dense` has lists of codes from so many names on.
_LARGE = 200_000
# Concepts encoded, and mentions searched, at a time; bounds memory.
_ENCODED, _TOGETHER, _ALONE = 512, 256, 8


class EntityIndex:
    """Concepts by vector. Scores are cosines. Safe to share between threads."""

    kind = "entities"
    encoder_of: ClassVar[str] = "entities"
    cosine = True

    def __init__(
        self,
        terminology: Terminology,
        encoder: TwoTowers,
        vectors: FixedPointVectors,
        *,
        graph: HnswGraph | None = None,
        threads: int = 1,
    ) -> None:
        """
        vectors  (concepts, D)
        graph    searched instead of all vectors
        threads  that share a batch
        """
        self.terminology, self.encoder = terminology, encoder
        self._vectors, self._graph, self._threads = vectors, graph, threads

    @property
    def form(self) -> str:
        """Which of `FORMS`."""
        return "flat" if self._graph is None else "hnsw"

    @classmethod
    def build(
        cls,
        terminology: Terminology,
        *,
        name: str = "entities",
        encoder: TwoTowers | str | Path,
        form: str | None = None,
        reuse_from: Path | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Encode all concepts, write `index/NAME` and open it. A killed build continues where it stopped.

        encoder     what `load_two_towers` takes
        form        None for "flat", and for "hnsw" above 200,000 concepts
        reuse_from  directory of an older index, whose vectors of the same names and definitions are reused; the result is the
                    same
        threads     for encoding, None for all cores
        progress    called with the name of the step, the amount done, and the total

        Raises UnknownNameError for an unknown form, StoreError when the disk refuses, and what `load_two_towers` raises.
        """
        if form is not None and form not in FORMS:
            raise UnknownNameError("form of an index of entities", form, FORMS)
        if isinstance(encoder, str | Path):
            opened: TwoTowers = load_two_towers(encoder, threads=threads)
            source = encoder_source(encoder)
        else:
            opened, source = encoder, encoder.name
        form = form or ("hnsw" if len(terminology) > _LARGE else "flat")
        options = {"form": form, "metric": "cosine", "encoder": encoder_stamp(opened, source)}
        with open_checkpoint(index_path(terminology, name)) as work:
            versions = {"index": INDEX_VERSION, "text": text.VERSION}
            work.begin({**versions, "terminology": terminology.digest, "options": options})
            old = None
            if reuse_from is not None:
                old = ReusableVectors.of(reuse_from, encoder=opened.digest, kind=cls.kind)
            vectors = _write_vectors(work, terminology, opened, old, progress or (lambda *_: None))
            if form == "hnsw":
                from linnet.retrieve.hnsw import HnswGraph

                HnswGraph.build(vectors).write(work.index / "graph.faiss")
            with writing_index(terminology, name, kind=cls.kind, options=options) as draft:
                work.move(draft)
        return cls.open(terminology, name, encoder=opened, threads=threads)

    @classmethod
    def open(
        cls,
        terminology: Terminology,
        name: str = "entities",
        *,
        encoder: TwoTowers | str | Path | None = None,
        threads: int | None = None,
    ) -> Self:
        """Open `index/NAME`, memory-mapped.

        encoder  default: the one it was built with; any other is refused
        threads  for the encoder and the search, None for all cores; results do not depend on it

        Raises as `open_index`, and MismatchError if the encoder differs or cannot be found.
        """
        path, options = open_index(terminology, name, kind=cls.kind)
        load = partial(load_two_towers, threads=threads)
        opened = same_encoder(terminology, path, options["encoder"], encoder, kind=cls.kind, load=load)
        vectors = FixedPointVectors(map_array(path / "vectors.npy"))
        graph = None
        if options["form"] == "hnsw":
            from linnet.retrieve.hnsw import HnswGraph

            rebuild = Step.BUILD_INDEX(terminology=terminology.path, retrievers=[cls.kind])
            graph = HnswGraph.read(path / "graph.faiss", rebuild=rebuild, threads=threads)
        return cls(terminology, opened, vectors, graph=graph, threads=1 if graph else threads or cores())

    def search(self, texts: Sequence[str], *, k: int, allowed: Mask | None = None) -> Hits:
        """`search_mentions` for texts without context."""
        return self.search_mentions([Mention.alone(text) for text in texts], k=k, allowed=allowed)

    def search_mentions(self, mentions: Sequence[Mention], *, k: int, allowed: Mask | None = None) -> Hits:
        """The k nearest concepts of each mention in its context, in the order of the mentions, through their preferred names.

        allowed  (concepts,) which concepts may be returned; k counts allowed ones

        Ties go to the lower row. A blank mention has no hits. A graph may find fewer than k, or not the nearest.
        """
        hits = Hits.empty(len(mentions), k)
        named = np.flatnonzero([bool(mention.text.strip()) for mention in mentions])
        rows = None if allowed is None else np.flatnonzero(allowed)
        total = len(self.terminology) if rows is None else len(rows)

        def search(part: slice) -> None:
            own = named[part]
            queries = to_fixed_point(
                unit(self.encoder.encode_mentions([mentions[row] for row in own.tolist()]))
            )
            if self._graph is not None and self._graph.pays(total, len(self.terminology)):
                found = self._graph.nearest(queries, count=min(k, total), allowed=allowed)
            else:
                found = self._vectors.nearest(queries, groups=k, forms=rows)
            best = rank_matches(
                found.queries,
                self.terminology.first_name[found.forms],
                1 + self._vectors.scores(queries, found),  # `rank_matches` takes no negative scores
                count=len(queries),
                terminology=self.terminology,
                k=k,
                origin=Origin.DENSE,
                allowed=None,
            )
            hits.concepts[own], hits.names[own] = best.concepts, best.names
            hits.scores[own], hits.origins[own] = np.round(best.scores - 1, 5), best.origins

        run_in_slices(
            search, len(named) if k and total else 0, most=_TOGETHER, alone=_ALONE, threads=self._threads
        )
        return hits


def _write_vectors(
    work: Any, terminology: Terminology, encoder: TwoTowers, old: ReusableVectors | None, progress: Progress
) -> Any:
    """(concepts, D) 16-bit, mapped from `vectors.npy`; and the hashes of what was encoded beside it."""
    total, done = len(terminology), work.done("encoding")
    vectors = open_array(work.index / "vectors.npy", np.int16, (total, encoder.dimensions), keep=done > 0)
    hashes = open_array(work.index / HASHES, np.uint64, (total,), keep=done > 0)
    for start in range(done, total, _ENCODED):
        rows = range(start, min(start + _ENCODED, total))
        names = [terminology.name(row) for row in rows]
        definitions = [terminology.definition(row) for row in rows]
        part = slice(rows.start, rows.stop)
        hashes[part] = hash_texts(map("\n".join, zip(names, definitions, strict=True)))
        known = np.zeros(len(rows), bool)
        if old is not None:
            known, old_rows = old.find(hashes[part])
            vectors[part][known] = old.vectors[old_rows]
        new = np.flatnonzero(~known)
        if len(new):
            encoded = encoder.encode_entities([names[i] for i in new], [definitions[i] for i in new])
            vectors[start + new] = to_fixed_point(unit(encoded))
        if work.due() or rows.stop == total:
            vectors.flush()
            hashes.flush()
            work.record("encoding", rows.stop)
        progress("encoding", rows.stop, total)
    return vectors
