"""Dense retrieval: the names whose vectors are nearest to the text's, by any encoder.

    form   search                                                     when
    flat   exact: every vector is compared                            up to some 100,000s of names
    hnsw   FAISS HNSW, m = 16, efConstruction = efSearch = 100        millions of names; loses about a point of recall
    ivf    inverted lists of product codes, the best compared again   millions of names in little memory; loses two points

Each distinct `linnet.text.simplify` form of the names is encoded once, and texts are brought to the same form. On disk:
`vectors.npy`, 16-bit (`fixed_point.py`), `forms.*.npy`, `graph.faiss`, and `encoder/` where the encoder was fitted to
this terminology; `ivf.py` lists the files of its form.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from linnet.cores import cores
from linnet.encode import Encoder, load_encoder, unit
from linnet.encode.ngram import NgramEncoder
from linnet.errors import LinnetError, MismatchError, UnknownNameError
from linnet.retrieve.fixed_point import SLACK, Fixed, FixedPoint, Found, to_fixed_point
from linnet.retrieve.forms import Forms, FormTexts
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.index import open_index, writing_index
from linnet.retrieve.mapped import mapped
from linnet.retrieve.ragged import rank_matches
from linnet.terminology import Terminology
from linnet.text import simplify

if TYPE_CHECKING:  # FAISS is loaded for these only
    from linnet.retrieve.hnsw import Graph
    from linnet.retrieve.ivf import Lists

__all__ = ["FORMS", "METRICS", "DenseIndex"]

Mask = np.ndarray[Any, np.dtype[np.bool_]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

FORMS = ("flat", "hnsw", "ivf")
METRICS = ("cosine", "inner")
UNTRAINED = "untrained"
# Texts searched together; bounds what a search holds at once.
_TOGETHER = 2048


class DenseIndex:
    """Names by vector. Scores are cosines, or inner products where so built."""

    kind = "dense"

    def __init__(
        self,
        terminology: Terminology,
        encoder: Encoder,
        forms: Forms,
        vectors: FixedPoint,
        *,
        longest: float | None = None,
        short_cut: Graph | Lists | None = None,
    ) -> None:
        """
        vectors  (forms, D)          short_cut  searched instead of all vectors
        longest  for inner products: the length of the longest vector, by which all were divided; None for cosine
        """
        self.terminology = terminology
        self.encoder = encoder
        self._forms, self._vectors = forms, vectors
        self._longest, self._short_cut = longest, short_cut

    @classmethod
    def build(
        cls,
        terminology: Terminology,
        *,
        name: str = "dense",
        encoder: Encoder | str | Path = UNTRAINED,
        form: str = "flat",
        metric: str = "cosine",
        threads: int | None = None,
    ) -> Self:
        """Encode all names, write `index/NAME` and open it.

        encoder  what `load_encoder` takes; or "untrained": a random projection fitted to the names, kept in the index
        metric   "cosine", or "inner" for encoders trained on raw vectors
        threads  for encoding and the graph, None for all cores

        Raises UnknownNameError for an unknown form or metric, StoreError when the disk refuses, and what `load_encoder`
        raises.
        """
        for kind, value, known in (("dense form", form, FORMS), ("metric", metric, METRICS)):
            if value not in known:
                raise UnknownNameError(kind, value, known)
        options: dict[str, Any] = {"form": form, "metric": metric}
        with writing_index(terminology, name, kind=cls.kind, options=options) as draft:
            forms, texts = Forms.write(draft, terminology)
            opened, source = _encoder_for(encoder, texts, draft, threads)
            options["encoder"] = {
                "name": opened.name,
                "digest": opened.digest,
                "dimensions": opened.dimensions,
                "source": source,
            }
            if form == "ivf":
                options["longest"] = _listed(opened, texts, forms, draft, threads, cosine=metric == "cosine")
            else:
                options["longest"] = _written(opened, texts, len(forms), draft, cosine=metric == "cosine")
            if form == "hnsw":
                from linnet.retrieve.hnsw import Graph

                vectors = np.load(draft / "vectors.npy", mmap_mode="r")
                Graph.build(vectors, threads=threads).write(draft / "graph.faiss")
        return cls.open(terminology, name, encoder=opened, threads=threads)

    @classmethod
    def open(
        cls,
        terminology: Terminology,
        name: str = "dense",
        *,
        encoder: Encoder | str | Path | None = None,
        threads: int | None = None,
    ) -> Self:
        """Open `index/NAME`, memory-mapped.

        encoder  the one it was built with when left out; any other is refused
        threads  for the encoder and the graph, None for all cores; results do not depend on it

        Raises as `open_index`, and MismatchError where the encoder is another one or cannot be found any more.
        """
        path, options = open_index(terminology, name, kind=cls.kind)
        opened = _checked(terminology, path, options["encoder"], encoder, threads)
        forms, longest = Forms.open(path), options["longest"]
        rebuild = f"linnet index {terminology.path} --retriever dense --dense {options['form']}"
        if options["form"] == "ivf":
            from linnet.retrieve.byte_vectors import ByteVectors
            from linnet.retrieve.ivf import Lists

            rows = ByteVectors(path, threads=threads)
            lists = Lists(path, rows, rebuild=rebuild, threads=threads)
            return cls(terminology, opened, forms, rows, longest=longest, short_cut=lists)
        vectors = FixedPoint(mapped(path / "vectors.npy"), threads=threads)
        graph = None
        if options["form"] == "hnsw":
            from linnet.retrieve.hnsw import Graph

            graph = Graph.read(path / "graph.faiss", rebuild=rebuild, threads=threads)
        return cls(terminology, opened, forms, vectors, longest=longest, short_cut=graph)

    def search(self, texts: Sequence[str], *, k: int, allowed: Mask | None = None) -> Hits:
        """The k best concepts for each text, in the order of the texts, each through its best name.

        allowed  (concepts,) which concepts may be returned; k counts allowed ones

        A flat index leaves nothing out. A text that is blank, or of which the encoder knows nothing, has no hits.
        """
        places: dict[str, int] = {}
        place = np.array([places.setdefault(simplify(text), len(places)) for text in texts], dtype=np.int64)
        distinct = list(places)
        forms = None if allowed is None else self._forms.allowed(self.terminology, allowed)[0]
        found = Hits.empty(len(distinct), k)
        for start in range(0, len(distinct) if k else 0, _TOGETHER):
            part = slice(start, start + _TOGETHER)
            best = self._search(distinct[part], k, allowed, forms)
            found.concepts[part], found.names[part] = best.concepts, best.names
            found.scores[part], found.origins[part] = best.scores, best.origins
        return found.take(place)

    def name_vectors(self, rows: Ints) -> Fixed:
        """(M, D) vectors of name rows, brought to length 1."""
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
        width = max(2 * k, 16)
        while len(pending):
            if short_cut is not None and 2 * width < total:
                found = short_cut.nearest(queries[pending], count=2 * width, allowed=forms)
            else:
                # What a short cut cannot reach is found by comparing everything.
                # Each of these groups has a form above the cut. Half as many groups again as concepts are wanted were
                # enough for all but 1 in 200 texts of BC5CDR and NCBI; the rest are searched again.
                found = self._vectors.nearest(queries[pending], groups=3 * width // 4, forms=rows)
            best, done = self._ranked(queries[pending], found, k, allowed)
            hits.concepts[pending[done]], hits.names[pending[done]] = best.concepts[done], best.names[done]
            hits.scores[pending[done]], hits.origins[pending[done]] = best.scores[done], best.origins[done]
            pending, width = pending[~done], 4 * width
        if self._longest is not None:
            known = hits.concepts >= 0
            hits.scores[known] *= np.repeat((lengths * self._longest).astype(np.float32), known.sum(axis=1))
        return hits

    def _ranked(self, queries: Fixed, found: Found, k: int, allowed: Mask | None) -> tuple[Hits, Mask]:
        """The k best concepts among the forms found, and for which queries no other form can change them."""
        scores = self._vectors.scores(queries, found)
        match, names = self._forms.named(found.forms.astype(np.int32))
        best = rank_matches(
            found.queries[match],
            names,
            1 + scores[match],  # `rank_matches` wants none below 0
            count=len(queries),
            terminology=self.terminology,
            k=k,
            origin=Origin.DENSE,
            allowed=allowed,
        )
        best.scores[:] = np.round(best.scores - 1, 5)
        return best, np.isneginf(found.cuts) | (best.scores[:, -1] >= found.cuts + SLACK / 2)


def _encoder_for(
    encoder: Encoder | str | Path, texts: FormTexts, draft: Path, threads: int | None
) -> tuple[Encoder, str]:
    """The encoder, and how to find it again: "" when it lies in the index, None when only the caller knows."""
    if encoder == UNTRAINED:
        fitted = NgramEncoder.untrained(chain.from_iterable(texts))
        return fitted.save(draft / "encoder"), ""
    if isinstance(encoder, str | Path):
        place = Path(encoder)
        return load_encoder(encoder, threads=threads), str(place.resolve() if place.is_dir() else encoder)
    if isinstance(encoder, NgramEncoder):
        return encoder.save(draft / "encoder"), ""
    return encoder, encoder.name


def _written(encoder: Encoder, texts: FormTexts, count: int, draft: Path, *, cosine: bool) -> float | None:
    """Encode all forms into `vectors.npy`; the length of the longest vector for inner products."""
    fixed = np.lib.format.open_memmap(
        draft / "vectors.npy", mode="w+", dtype=np.int16, shape=(count, encoder.dimensions)
    )
    longest, start = 1.0, 0
    if not cosine:
        longest = max(float(np.linalg.norm(encoder.encode(batch), axis=1).max()) for batch in texts)
    for batch in texts:
        vectors = encoder.encode(batch)
        fixed[start : start + len(batch)] = to_fixed_point(unit(vectors) if cosine else vectors / longest)
        start += len(batch)
    fixed.flush()
    return None if cosine else longest


def _listed(
    encoder: Encoder, texts: FormTexts, forms: Forms, draft: Path, threads: int | None, *, cosine: bool
) -> float | None:
    """Encode all forms as bytes and write the lists; the length of the longest vector for inner products."""
    from linnet.retrieve.byte_vectors import to_bytes
    from linnet.retrieve.ivf_build import write_lists

    rows = np.empty((len(forms), encoder.dimensions), np.int8)
    factors = np.empty(len(forms), np.float32)
    start = 0
    for batch in texts:
        vectors = encoder.encode(batch)
        part = slice(start, start + len(batch))
        rows[part], factors[part] = to_bytes(unit(vectors) if cosine else vectors)
        start = part.stop
    longest = None
    if not cosine:
        longest = float((factors * np.linalg.norm(rows.astype(np.float32), axis=1)).max(initial=0)) or 1.0
        factors /= np.float32(longest)
    forms.reorder(draft, write_lists(draft, rows, factors, threads=threads or cores()))
    return longest


def _checked(
    terminology: Terminology,
    path: Path,
    stamp: dict[str, Any],
    wanted: Encoder | str | Path | None,
    threads: int | None,
) -> Encoder:
    """The encoder an index was built with. Raises MismatchError where `wanted` is another."""
    rebuild = f"linnet index {terminology.path} --retriever dense --encoder"
    built = f"Index '{path}' was built with encoder '{stamp['name']}' ({stamp['dimensions']}-d)"
    if wanted is None or wanted == UNTRAINED:
        place = stamp["source"] or path / "encoder"
        try:
            encoder = load_encoder(place, threads=threads)
        except LinnetError as error:
            raise MismatchError(f"{built}, which cannot be opened: {error} Or run: {rebuild} NAME") from None
    else:
        encoder = load_encoder(wanted, threads=threads) if isinstance(wanted, str | Path) else wanted
    if (encoder.digest, encoder.dimensions) != (stamp["digest"], stamp["dimensions"]):
        other = " of other weights" if encoder.name == stamp["name"] else ""
        asked = wanted if isinstance(wanted, str | Path) else encoder.name
        raise MismatchError(
            f"{built}; you asked for '{encoder.name}' ({encoder.dimensions}-d){other}. Run: {rebuild} {asked}"
        )
    return encoder
