"""Retrieval indexes: a folder `index/NAME/` in a terminology, stamped with what it was built from.

An index is an object with `search`. Its class is found in the registry `retrievers` by the `kind` in `index.json`.
A companion lies beside the indexes and is not searched itself: it makes linking faster or better.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from linnet import artifact, text
from linnet.arrays import Fixed, Ints, Mask
from linnet.encode import Encoder
from linnet.errors import DamagedError, MismatchError, StoreError
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology

__all__ = [
    "INDEX_VERSION",
    "MANIFEST",
    "Companion",
    "HasVectors",
    "Index",
    "index_kind",
    "index_path",
    "open_index",
    "writing_index",
]

INDEX_VERSION = 1
MANIFEST = "index.json"


class Index(Protocol):
    """A built index over the names of one terminology."""

    @property
    def kind(self) -> str:
        """Which class reads it, a key of `linnet.retrieve.registry.retrievers`."""
        ...

    @classmethod
    def open(cls, terminology: Terminology, name: str) -> Self:
        """Open `index/NAME`, memory-mapped. Raises StoreError, DamagedError or MismatchError as `open_index`."""
        ...

    def search(self, texts: Sequence[str], *, k: int, allowed: Mask | None = None) -> Hits:
        """The k best concepts for each text, in the order of the texts.

        allowed  (concepts,) which concepts may be returned; k counts allowed ones

        The same text gets the same hits whatever else is in the batch.
        """
        ...


@runtime_checkable
class HasVectors(Protocol):
    """An index that has the vectors of the names."""

    @property
    def encoder(self) -> Encoder:
        """What made them."""
        ...

    def name_vectors(self, rows: Ints) -> Fixed:
        """(M, D) vectors of length 1 of name rows, see `linnet.retrieve.fixed_point`."""
        ...


def index_path(terminology: Terminology, name: str) -> Path:
    """Where the index of that name lies."""
    return terminology.path / "index" / name


def index_kind(terminology: Terminology, name: str) -> str | None:
    """The kind of the index of that name, None when it has not been built."""
    path = index_path(terminology, name)
    if not path.is_dir():
        return None
    rebuild = f"linnet index {terminology.path} --retriever {name}"
    return str(artifact.read_manifest(path, MANIFEST, what="index", rebuild=rebuild).get("kind"))


@contextmanager
def writing_index(
    terminology: Terminology, name: str, *, kind: str, options: Mapping[str, Any]
) -> Iterator[Path]:
    """A directory to fill; on leaving it is stamped with the terminology's digest and renamed into place."""
    with artifact.replacing_directory(index_path(terminology, name)) as draft:
        yield draft
        fields = {
            "index": INDEX_VERSION,
            "kind": kind,
            "options": dict(options),
            "terminology": terminology.digest,
            "text": text.VERSION,
        }
        artifact.write_manifest(draft, MANIFEST, fields)


def open_index(
    terminology: Terminology, name: str, *, kind: str, rebuild: str = ""
) -> tuple[Path, dict[str, Any]]:
    """The index's directory and its options, checked against the terminology.

    rebuild  the command that builds it, where that is not `linnet index DIR --retriever KIND`

    Raises StoreError where it has not been built, DamagedError where its files are missing or altered, and
    MismatchError where it was built from another content or by another version; each says what to run.
    """
    path = index_path(terminology, name)
    rebuild = rebuild or f"linnet index {terminology.path} --retriever {kind}"
    fields = artifact.read_manifest(path, MANIFEST, what=f"{kind} index", rebuild=rebuild)
    if fields.get("index") != INDEX_VERSION or fields.get("kind") != kind:
        raise MismatchError(
            f"{path} is of kind {fields.get('kind')} and format {fields.get('index')}; "
            f"expected {kind} and {INDEX_VERSION}. Run: {rebuild}"
        )
    if fields.get("terminology") != terminology.digest:
        raise MismatchError(
            f"{path} was built from another content of the terminology "
            f"(digest {fields.get('terminology')}, now {terminology.digest}). Run: {rebuild}"
        )
    if fields.get("text") != text.VERSION:
        raise MismatchError(
            f"{path} was built by a linnet that normalises names otherwise (version {fields.get('text')}, "
            f"now {text.VERSION}). Run: {rebuild}"
        )
    artifact.check(path, fields, rebuild=rebuild)
    return path, dict(fields["options"])


class Companion(ABC):
    """A folder beside the indexes of a terminology, under the name of its kind, which helps linking.

    kind     names its folder
    version  of what its files say; those of any other are out of date
    """

    kind: ClassVar[str]
    version: ClassVar[int]

    @classmethod
    @abstractmethod
    def read(cls, path: Path, *, rebuild: str) -> Self:
        """Map the files of its folder. Raises DamagedError saying to run `rebuild` where one cannot be read."""

    @classmethod
    def open(cls, terminology: Terminology) -> Self:
        """Open `index/KIND`. Raises as `open_index`, and MismatchError where a linnet of another version built it."""
        rebuild = f"linnet index {terminology.path} --update"
        path, options = open_index(terminology, cls.kind, kind=cls.kind, rebuild=rebuild)
        if options.get("version") != cls.version:
            raise MismatchError(
                f"{path} was built by another linnet (version {options.get('version')}, now {cls.version}). "
                f"Run: {rebuild}"
            )
        # Damage that was not noticed until now is not noticed by --update either.
        return cls.read(path, rebuild=f"linnet index {terminology.path}")

    @classmethod
    def open_current(cls, terminology: Terminology) -> Self | None:
        """`open`, or None where it is absent or out of date: only for what changes no answer.

        Raises DamagedError where it is damaged or cannot be read.
        """
        try:
            return cls.open(terminology)
        except DamagedError:
            raise
        except StoreError:
            return None

    @classmethod
    def is_current(cls, terminology: Terminology) -> bool:
        """Whether `open` would succeed."""
        try:
            cls.open(terminology)
        except StoreError:
            return False
        return True

    @classmethod
    @contextmanager
    def writing(cls, terminology: Terminology) -> Iterator[Path]:
        """The folder to fill, see `writing_index`."""
        with writing_index(terminology, cls.kind, kind=cls.kind, options={"version": cls.version}) as draft:
            yield draft
