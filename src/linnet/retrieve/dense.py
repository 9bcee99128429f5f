"""Dense retrieval: the names whose vectors are nearest to the text's, by any encoder.

    form   search                                                     when
    flat   exact: every vector is compared                            up to 200,000 names
    hnsw   FAISS HNSW, m = 16, efConstruction = efSearch = 100        millions of names; loses about a point of recall
    ivf    inverted lists of product codes, the best rows compared    millions of names in little memory; loses two points
           exactly

Each distinct `linnet.words.text.simplify` form of the names is encoded once, and texts are brought to the same form. On disk:
`vectors.npy`, 16-bit (`fixed_point.py`), `forms.*.npy`, `graph.faiss`, and `encoder/` if the encoder was fitted to
this terminology; `ivf.py` lists the files of its form.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from linnet.advice import Advice, Step
from linnet.arrays import Fixed, Ints, Mask
from linnet.encode import Encoder, load_encoder, unit
from linnet.errors import UnknownNameError
from linnet.retrieve.dense_build import UNTRAINED, Progress, write_dense
from linnet.retrieve.encoder_stamp import same_encoder
from linnet.retrieve.fixed_point import SLACK, FixedPointVectors, Neighbours, to_fixed_point
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import open_index
from linnet.retrieve.match_ranking import rank_matches
from linnet.retrieve.memory_map import map_array
from linnet.retrieve.name_forms import NameForms
from linnet.retrieve.slices import run_in_slices
from linnet.system.cores import cores
from linnet.terminology import Terminology
from linnet.words.text import simplify

if TYPE_CHECKING:  # FAISS is loaded for these only
    from linnet.retrieve.hnsw import HnswGraph
    from linnet.retrieve.ivf import Lists

__all__ = ["FORMS", "METRICS", "DenseIndex"]

FORMS = ("flat", "hnsw", "ivf")
METRICS = ("cosine", "inner")
_TOGETHER = 2048  # texts searched together at most: bounds the memory of a search
_ALONE = 128  # texts up to which a batch is not shared among threads
_MOST_FORMS = 4.0  # forms requested of a short cut for each wanted concept, at most


class DenseIndex:
    """Names by vector. Scores are cosines, or inner products if built with that metric."""

    kind = "dense"
    encoder_of: ClassVar[str] = "names"

    def __init__(
        self,
        terminology: Terminology,
        encoder: Encoder,
        forms: NameForms,
        vectors: FixedPointVectors,
        *,
        form: str = "flat",
        longest: float | None = None,
        short_cut: HnswGraph | Lists | None = None,
        threads: int = 1,
    ) -> None:
        """
        vectors  (forms, D)          short_cut  searched instead of all vectors, for a `form` other than "flat"
        longest  for inner products: the length of the longest vector, by which all were divided; None for cosine
        threads  that share a batch; 1 if `vectors` or `short_cut` have threads of their own
        """
        self.terminology = terminology
        self.encoder = encoder
        self.form = form
        self._forms, self._vectors = forms, vectors
        self._longest, self._short_cut, self._threads = longest, short_cut, threads

    @property
    def cosine(self) -> bool:
        """Unless it was built with inner products."""
        return self.metric == "cosine"

    @property
    def metric(self) -> str:
        """Which of `METRICS` scores are."""
        return "cosine" if self._longest is None else "inner"

    @classmethod
    def build(
        cls,
        terminology: Terminology,
        *,
        name: str = "dense",
        encoder: Encoder | str | Path = UNTRAINED,
        form: str | None = None,
        metric: str = "cosine",
        reuse_from: Path | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Encode all names, write `index/NAME` and open it. A killed build continues where it stopped.

        encoder   what `load_encoder` takes; or "untrained": a random projection fitted to the names, kept in the index
        form      None for "flat", and for "ivf" above 200,000 distinct names
        metric    "cosine", or "inner" for encoders trained on raw vectors
        reuse_from  directory of an older index, whose vectors of the same names are reused; the result is the same
        threads   for encoding and the graph, None for all cores
        progress  called with the name of the step, the amount done, and the total

        Raises UnknownNameError for an unknown form or metric, StoreError when the disk refuses, and what `load_encoder`
        raises.
        """
        if form is not None and form not in FORMS:
            raise UnknownNameError("dense form", form, FORMS)
        if metric not in METRICS:
            raise UnknownNameError("metric", metric, METRICS)
        opened = write_dense(
            terminology,
            name,
            kind=cls.kind,
            encoder=encoder,
            form=form,
            metric=metric,
            reuse_from=reuse_from,
            threads=threads,
            progress=progress,
        )
        return cls.open(terminology, name, encoder=opened, threads=threads)

    @classmethod
    def open(
        cls,
        terminology: Terminology,
        name: str = "dense",
        *,
        encoder: Encoder | str | Path | None = None,
        threads: int | None = None,
        rebuild: Advice | None = None,
    ) -> Self:
        """Open `index/NAME`, memory-mapped.

        encoder  default: the one it was built with; any other is refused
        rebuild  how to build it, as of `open_index`
        threads  for the encoder and the graph, None for all cores; results do not depend on it

        Raises as `open_index`, and MismatchError if the encoder differs or cannot be found.
        """
        path, options = open_index(terminology, name, kind=cls.kind, rebuild=rebuild)
        opened: Encoder = same_encoder(
            terminology,
            path,
            options["encoder"],
            None if encoder == UNTRAINED else encoder,
            kind=cls.kind,
            load=partial(load_encoder, threads=threads),
            rebuild=rebuild,
        )
        forms, longest = NameForms.open(path), options["longest"]
        facts = {"terminology": str(terminology.path), "retrievers": ["dense"], "form": options["form"]}
        rebuild = rebuild or Step.BUILD_INDEX(**facts)
        if options["form"] == "ivf":
            from linnet.retrieve.ivf import Lists
            from linnet.retrieve.vector_file import VectorFile

            rows = VectorFile(path / "vectors.npy")
            lists = Lists(path, rows, rebuild=rebuild)
            return cls(
                terminology,
                opened,
                forms,
                rows,
                form="ivf",
                longest=longest,
                short_cut=lists,
                threads=threads or cores(),
            )
        vectors = FixedPointVectors(map_array(path / "vectors.npy"))
        if options["form"] == "flat":
            return cls(terminology, opened, forms, vectors, longest=longest, threads=threads or cores())
        from linnet.retrieve.hnsw import HnswGraph

        graph = HnswGraph.read(path / "graph.faiss", rebuild=rebuild, threads=threads)
        return cls(terminology, opened, forms, vectors, form="hnsw", longest=longest, short_cut=graph)

    def search(self, texts: Sequence[str], *, k: int, allowed: Mask | None = None) -> Hits:
        """The k best concepts for each text, in the order of the texts, each through its best name.

        allowed  (concepts,) which concepts may be returned; k counts allowed ones

        A flat index misses nothing. A blank text, or one without anything the encoder knows, has no hits.
        """
        positions: dict[str, int] = {}
        position = np.array(
            [positions.setdefault(simplify(text), len(positions)) for text in texts], dtype=np.int64
        )
        distinct = list(positions)
        forms = None if allowed is None else self._forms.allowed(self.terminology, allowed)[0]
        hits = Hits.empty(len(distinct), k)

        def search(part: slice) -> None:
            hits.put(part, self._search(distinct[part], k, allowed, forms))

        count = len(distinct) if k else 0
        run_in_slices(search, count, most=_TOGETHER, alone=_ALONE, threads=self._threads)
        return hits.take(position)

    def name_vectors(self, rows: Ints) -> Fixed:
        """(M, D) vectors of name rows, scaled to length 1."""
        vectors = self._vectors.fixed(self._forms.of_names[rows])
        return vectors if self._longest is None else to_fixed_point(unit(vectors.astype(np.float32)))

    def _search(self, texts: Sequence[str], k: int, allowed: Mask | None, forms: Mask | None) -> Hits:
        hits = Hits.empty(len(texts), k)
        vectors = self.encoder.encode(texts)
        lengths = np.linalg.norm(vectors, axis=1)
        queries = to_fixed_point(unit(vectors))
        named = np.fromiter(map(bool, texts), dtype=bool, count=len(texts))
        pending = np.flatnonzero((lengths > 0) & named)
        rows = None if forms is None else np.flatnonzero(forms)
        total = len(self._forms) if rows is None else len(rows)
        if total == 0:
            return hits
        short_cut = self._short_cut
        if short_cut is not None and not short_cut.pays(total, len(self._forms)):
            short_cut = None
        width, enough = max(2 * k, 16), self._enough(max(k, 8))
        while len(pending):
            if short_cut is not None and enough < total:
                candidates = short_cut.nearest(queries[pending], count=enough, allowed=forms)
            else:
                # Without a short cut, or where it would have to return all forms. Each of these groups has a form above
                # the cut. One and a half groups for each wanted concept were enough for all but 1 in 200 texts of BC5CDR
                # and NCBI; the others are searched again.
                candidates = self._vectors.nearest(queries[pending], groups=3 * width // 4, forms=rows)
            best, done = self._ranked(queries[pending], candidates, k, allowed)
            hits.put(pending[done], best.take(done))
            pending, width, enough = pending[~done], 4 * width, 4 * enough
        if self._longest is not None:
            known = hits.concepts >= 0
            hits.scores[known] *= np.repeat((lengths * self._longest).astype(np.float32), known.sum(axis=1))
        return hits

    def _enough(self, k: int) -> int:
        """How many forms to request of a short cut for k concepts."""
        if self.form == "hnsw":  # the more are requested, the fewer are missed
            return int(k * _MOST_FORMS)
        # So many have k concepts among them, for nine texts in ten: neighbours are seldom all of one concept.
        forms = len(self._forms) / max(1, len(self.terminology))
        return int(k * min(1 + 0.75 * forms, _MOST_FORMS))

    def _ranked(
        self, queries: Fixed, candidates: Neighbours, k: int, allowed: Mask | None
    ) -> tuple[Hits, Mask]:
        """The k best concepts among the candidates, and for which queries no other form can change them."""
        scores = self._vectors.scores(queries, candidates) if candidates.scores is None else candidates.scores
        match, names = self._forms.named(candidates.forms.astype(np.int32))
        best = rank_matches(
            candidates.queries[match],
            names,
            1 + scores[match],  # `rank_matches` takes no negative scores
            count=len(queries),
            terminology=self.terminology,
            k=k,
            origin=Origin.DENSE,
            allowed=allowed,
        )
        best.scores[:] = np.round(best.scores - 1, 5)
        return best, np.isneginf(candidates.cuts) | (best.scores[:, -1] >= candidates.cuts + SLACK / 2)
