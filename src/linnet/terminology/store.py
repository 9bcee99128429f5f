"""A compiled terminology: a directory of memory-mapped Arrow files that opens in milliseconds at any size.

    terminology.json    format version, sources, counts, digest, default pipeline, checksums
    concepts.arrow      id (sorted), types, sources, first_name (row of the preferred name)
    names.arrow         text, concept; sorted by concept, the preferred name first
    definitions.arrow   text
    xrefs.arrow         ids
    edges.arrow         parents, children (rows)
    aliases.arrow       id (sorted), targets (rows): retired and alternative ids
    overrides.tsv       optional, edited by people: see `overrides.py`
    index/NAME/         retrieval indexes, see `linnet.retrieve`

A *row* is a position in `concepts`; a *name row* a position in `names`. Rows are ordered by id, so a tie
broken by row is a tie broken by id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linnet.advice import Step
from linnet.arrays import Array, Ints, Mask, Rows
from linnet.errors import DamagedError, MismatchError, RequestError, StoreError, UnknownIdError
from linnet.io import artifact
from linnet.terminology.columns import Lists, Strings, TextLists, read_columns
from linnet.terminology.id_lists import id_list
from linnet.terminology.id_spellings import Spellings, nearest
from linnet.types import Concept

__all__ = ["FORMAT_VERSION", "MANIFEST", "Terminology"]

MANIFEST = "terminology.json"
FORMAT_VERSION = 1


class Terminology:
    """A compiled terminology, opened for reading. Safe to share between threads and processes."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._rebuild = Step.BUILD_TERMINOLOGY(terminology=path)
        concepts = self._read("concepts")
        names = self._read("names")
        self.ids: Strings = concepts["id"]
        self.first_name: Rows = concepts["first_name"]
        self._types: Lists = concepts["types"]
        self._sources: Lists = concepts["sources"]
        self.names: Strings = names["text"]
        self.name_concepts: Rows = names["concept"]
        # Mapped now, so that all rows are of one release even if the folder is replaced by another: 1 ms.
        self._edges: dict[str, Lists] = self._read("edges")
        self._definitions: Strings = self._read("definitions")["text"]
        self._xrefs: TextLists = self._read("xrefs")["ids"]
        self._aliases: dict[str, Any] = self._read("aliases")
        self._search_index: Any = None  # opened by the first `search`

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = False) -> Terminology:
        """Open a compiled terminology.

        verify  compare the checksums of all files, including those too large to check every time

        Raises StoreError if there is none, DamagedError if files are missing or altered, MismatchError for another
        format version.
        """
        directory = Path(path)
        rebuild = Step.BUILD_TERMINOLOGY(terminology=directory)
        if directory.name == "starter" and not directory.exists():
            raise StoreError(
                f"There is no folder {directory}. The terminology 'starter' that linnet brings along is indexed already: "
                "link with it as it is.",
                Step.BUILD_OWN(),
            )
        manifest = artifact.read_manifest(directory, MANIFEST, what="terminology", rebuild=rebuild)
        if manifest.get("format") != FORMAT_VERSION:
            raise MismatchError(
                f"{directory} has store format {manifest.get('format')}; this linnet reads {FORMAT_VERSION}.",
                rebuild,
            )
        artifact.check(directory, manifest, rebuild=rebuild, everything=verify)
        return cls(directory, manifest)

    def __len__(self) -> int:
        """Number of concepts."""
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Terminology({str(self.path)!r}, {len(self):,} concepts, {len(self.names):,} names)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self).open, (self.path,))

    @property
    def digest(self) -> str:
        """Digest of the content: equal for equal concepts in any source order."""
        return str(self.manifest["digest"])

    @property
    def pipeline(self) -> dict[str, Any]:
        """The default pipeline (retrievers, encoder, recogniser …); empty for linnet's own default."""
        return dict(self.manifest.get("pipeline", {}))

    def __contains__(self, id: object) -> bool:
        """Whether an id is known, in any spelling: current, retired or alternative."""
        return isinstance(id, str) and bool(self.resolve(id))

    def __getitem__(self, id: str) -> Concept:
        """The concept of an id, in any spelling; of a retired id, the one that replaced it.

        Raises UnknownIdError for an unknown id, and for a retired one that several concepts, or none, replaced.
        """
        if not isinstance(id, str):
            raise UnknownIdError(f"An id is a string, e.g. {self.ids[0]!r}; got {id!r}.")
        current = self.resolve(id)
        if len(current) == 1:
            return self.concept(self.row(current[0]))
        if current:
            raise UnknownIdError(f"{id} is retired: {', '.join(current)} replaced it. Look one of these up.")
        near = self.nearest(id)
        hint = f" Did you mean '{near}'?" if near else " Find ids by name: Terminology.search"
        raise UnknownIdError(f"{self.path} has no concept '{id}'.{hint}")

    def search(self, query: str, *, k: int = 20) -> list[Concept]:
        """At most k concepts for words, beginnings of words, or an id, best first; see `SearchIndex.search`.

        The first search builds the index where it is missing. Raises StoreError where it cannot be written, and RequestError for what
        is no string.
        """
        from linnet.terminology.search import SearchIndex

        if not isinstance(query, str):
            raise RequestError(f"search() takes words or an id; got {query!r}.")
        if self._search_index is None:
            self._search_index = SearchIndex.open(self)
        return [self.concept(match.concept) for match in self._search_index.search(query, k=k)]

    def ancestors(self, id: str) -> list[str]:
        """Ids of all broader concepts of a concept, those fewest steps up first. Raises as `[id]`.

        In a cycle of parents, the concept itself is left out.
        """
        own = self.row(self[id].id)
        ancestors: dict[int, None] = {}
        level = [own]
        while level:
            level = [int(up) for row in level for up in self.parents(row) if int(up) not in ancestors]
            level = list(dict.fromkeys(level))
            ancestors.update(dict.fromkeys(level))
        ancestors.pop(own, None)
        return self.ids.take(list(ancestors))

    # ── one concept ──────────────────────────────────────────────────────────────────────────────────────

    def row(self, id: str) -> int:
        """Row of a current id, −1 if unknown."""
        return self.ids.find(id)

    def resolve(self, id: str) -> tuple[str, ...]:
        """The current ids for an id: itself, its replacements, or the ids it is an alternative of; () if unknown.

        An id may be in another spelling than the terminology's: `mesh:D003920`, `D003920` and
        `http://id.nlm.nih.gov/mesh/D003920` all mean MESH:D003920, whichever of them the store holds.
        """
        for spelling in self._spelt(id):
            if self.ids.find(spelling) >= 0:
                return (spelling,)
            alias = self._alias_ids.find(spelling)
            if alias >= 0:
                return tuple(self.ids[row] for row in self._alias_targets[alias])
        return ()

    def spelling(self, id: str) -> str:
        """An id, current or retired, in the terminology's spelling; "" if unknown."""
        return next((s for s in self._spelt(id) if self.ids.find(s) >= 0 or self._alias_ids.find(s) >= 0), "")

    def nearest(self, id: str) -> str:
        """The terminology's id most similar to an unknown one, "" if none is similar."""
        return nearest(id, self.ids, self._spellings)

    def _spelt(self, id: str) -> Iterator[str]:
        """The id as given, then in other spellings."""
        yield id
        yield from self._spellings.of(id)

    def name(self, row: int) -> str:
        """Preferred name of a concept."""
        return self.names[int(self.first_name[row])]

    def name_rows(self, row: int) -> range:
        """Name rows of a concept, preferred first."""
        first = int(self.first_name[row])
        last = int(self.first_name[row + 1]) if row + 1 < len(self) else len(self.names)
        if not 0 <= first < last <= len(self.names):
            raise self._altered("concepts", "a concept with invalid name rows")
        return range(first, last)

    def parents(self, row: int) -> Rows:
        """Rows of the broader concepts."""
        return self._related(self._edges["parents"][row])

    def children(self, row: int) -> Rows:
        """Rows of the narrower concepts."""
        return self._related(self._edges["children"][row])

    @property
    def parent_lists(self) -> tuple[Rows, Rows]:
        """(concepts + 1,) offsets and (edges,) rows of the broader concepts of all concepts, one concept's after the other's."""
        lists = self._edges["parents"]
        return lists.offsets, lists.values

    def tops(self) -> Rows:
        """Rows of the concepts that have children but no parent, ascending."""
        without_parent = np.diff(self._edges["parents"].offsets) == 0
        return np.flatnonzero(without_parent & (np.diff(self._edges["children"].offsets) > 0)).astype(
            np.int32
        )

    def _related(self, rows: Rows) -> Rows:
        if len(rows) and not (rows.min() >= 0 and rows.max() < len(self)):
            raise self._altered("edges", "an invalid parent or child row")
        return rows

    def types(self, row: int) -> tuple[str, ...]:
        """Semantic types of a concept."""
        return self._named(self.type_names, self._types[row])

    def type_codes(self, rows: Ints) -> tuple[Ints, Rows]:
        """The types of many concepts, as places in `type_names`: (M,) how many each of them has, and all, one after the other."""
        return _many(self._types, rows)

    def sources(self, row: int) -> tuple[str, ...]:
        """Vocabularies that contribute to a concept."""
        return self._named(self.source_names, self._sources[row])

    def source_codes(self, rows: Ints) -> tuple[Ints, Rows]:
        """The vocabularies of many concepts, as places in `source_names`; see `type_codes`."""
        return _many(self._sources, rows)

    def _named(self, names: list[str], codes: Rows) -> tuple[str, ...]:
        try:
            return tuple(names[code] for code in codes)
        except IndexError:
            raise self._altered("concepts", "an invalid type or source") from None

    def _altered(self, file: str, what: str) -> DamagedError:
        return DamagedError(f"{self.path / file}.arrow was altered: it has {what}.", self._rebuild)

    def definition(self, row: int) -> str:
        """Definition of a concept, "" if it has none."""
        return self._definitions[row]

    def xrefs(self, row: int) -> tuple[str, ...]:
        """Ids of the concept in other vocabularies."""
        return tuple(self._xrefs[row])

    def concept(self, row: int) -> Concept:
        """All data of a concept."""
        names = self.names.take(self.name_rows(row))
        return Concept(
            id=self.ids[row],
            name=names[0],
            names=tuple(names[1:]),
            types=self.types(row),
            definition=self.definition(row),
            parents=tuple(self.ids[parent] for parent in self.parents(row)),
            xrefs=self.xrefs(row),
            sources=self.sources(row),
        )

    def __iter__(self) -> Iterator[Concept]:
        """All concepts sorted by id, then the retired and alternative ids."""
        for row in range(len(self)):
            yield self.concept(row)
        for alias in range(len(self._alias_ids)):
            yield Concept(
                self._alias_ids[alias],
                "",
                replaced_by=tuple(self.ids[row] for row in self._alias_targets[alias]),
            )

    # ── all concepts ─────────────────────────────────────────────────────────────────────────────────────

    @property
    def type_names(self) -> list[str]:
        """All semantic types, sorted."""
        return list(self.manifest["types"])

    @property
    def source_names(self) -> list[str]:
        """All contributing vocabularies, sorted."""
        return list(self.manifest["vocabularies"])

    @cached_property
    def preferred(self) -> Mask:
        """(names,) whether a name row is its concept's preferred name."""
        mask = np.zeros(len(self.names), dtype=bool)
        mask[self.first_name] = True
        return mask

    def select(
        self,
        *,
        types: Collection[str] | None = None,
        sources: Collection[str] | None = None,
        allow: Iterable[str] | None = None,
        deny: Iterable[str] = (),
    ) -> Mask | None:
        """(concepts,) which concepts may be linked to; None without any restriction.

        types    of any of these semantic types        sources  from any of these vocabularies
        allow    only these ids                        deny     not these ids; retired ids mean their replacements

        Unknown ids are ignored here; `check_ids` refuses them, for all terminologies together.
        Raises RequestError for an unknown type or source, for a string instead of a list of ids, and if no concept
        is left.
        """
        allow = None if allow is None else id_list("allow", allow)
        deny = id_list("deny", deny)
        if types is None and sources is None and allow is None and not deny:
            return None
        mask = np.ones(len(self), dtype=bool)
        if types is not None:
            mask &= self._having(self._types, self._codes("type", types, self.type_names))
        if sources is not None:
            mask &= self._having(self._sources, self._codes("source", sources, self.source_names))
        if allow is not None:
            allowed = np.zeros(len(self), dtype=bool)
            allowed[self._rows_of(allow)] = True
            mask &= allowed
        mask[self._rows_of(deny)] = False
        if not mask.any():
            raise RequestError(
                f"{self.path}: no concept is left after the filters (types, sources, allow, deny). Loosen one of them."
            )
        return mask

    def _rows_of(self, ids: Iterable[str]) -> list[int]:
        return [self.row(current) for id in ids for current in self.resolve(id)]

    def _codes(self, kind: str, names: Collection[str], known: Sequence[str]) -> list[int]:
        folded = {name.casefold(): code for code, name in enumerate(known)}
        missing = [name for name in names if name.casefold() not in folded]
        if missing:
            shown = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
            near = get_close_matches(missing[0].casefold(), folded, n=1)
            hint = f" Did you mean '{known[folded[near[0]]]}'?" if near else ""
            raise RequestError(
                f"{self.path} has no {kind} '{missing[0]}'.{hint} It has: {shown or 'none'}.",
                Step.SHOW_TERMINOLOGY(terminology=self.path),
            )
        return [folded[name.casefold()] for name in names]

    @staticmethod
    def _having(lists: Lists, codes: list[int]) -> Mask:
        hits = np.isin(lists.values, codes)
        mask = np.zeros(len(lists), dtype=bool)
        mask[np.repeat(np.arange(len(lists)), np.diff(lists.offsets))[hits]] = True
        return mask

    def sizes(self, rows: Sequence[int] | Array) -> Ints:
        """(M, 3) how many names, children and parents concepts have."""
        at = np.asarray(rows, np.int64)
        last = at + 1 == len(self)
        ends = np.where(last, len(self.names), self.first_name[np.where(last, at, at + 1)])
        counts = [ends - self.first_name[at]]
        counts += [
            lists.offsets[at + 1] - lists.offsets[at]
            for lists in (self._edges["children"], self._edges["parents"])
        ]
        sizes = np.stack(counts, axis=1).astype(np.int64)
        if sizes.size and (sizes.min() < 0 or sizes[:, 0].min() < 1):
            raise self._altered("concepts", "a concept whose names are none")
        return sizes

    # ── files ────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self, name: str) -> dict[str, Any]:
        return read_columns(self.path / f"{name}.arrow", rebuild=self._rebuild)

    @cached_property
    def _spellings(self) -> Spellings:
        return Spellings(self.ids, self._alias_ids)

    @property
    def _alias_ids(self) -> Strings:
        return self._aliases["id"]  # type: ignore[no-any-return]

    @property
    def _alias_targets(self) -> Lists:
        return self._aliases["targets"]  # type: ignore[no-any-return]


def _many(lists: Lists, rows: Ints) -> tuple[Ints, Rows]:
    """(M,) the lengths of some lists, and their values one after the other."""
    starts = np.asarray(lists.offsets[rows], np.int64)
    counts = lists.offsets[rows + 1] - starts
    before = np.cumsum(counts) - counts
    return counts, lists.values[np.arange(int(counts.sum())) + np.repeat(starts - before, counts)]
