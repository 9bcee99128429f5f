"""Retrieval indexes: folders `index/NAME/` in a terminology, stamped with the content they were built from.

An index is an object with `search`. The `kind` in its `index.json` names its class in the registry `retrievers`.
A companion is a folder beside the indexes that is not searched itself: it makes linking faster or better.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from linnet.advice import Advice, Step
from linnet.arrays import Fixed, Ints, Mask
from linnet.encode import Encoder
from linnet.errors import DamagedError, MismatchError, StoreError
from linnet.io import artifact
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology
from linnet.words import text

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
    """A built index over the names of one terminology.

    encoder_of  what the vectors that it holds are of: "names", "entities" (an encoder with two towers), or "" without vectors
    """

    encoder_of: ClassVar[str]

    @property
    def kind(self) -> str:
        """The key of its class in `linnet.retrieve.registry.retrievers`."""
        ...

    @property
    def cosine(self) -> bool:
        """Whether scores are cosines, 0 to 1 in practice: such indexes are ranked together."""
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
class HasVectors(Index, Protocol):
    """An index that holds vectors of names."""

    @property
    def encoder(self) -> Encoder:
        """The encoder that made them."""
        ...

    def name_vectors(self, rows: Ints) -> Fixed:
        """(M, D) unit vectors of name rows, see `linnet.retrieve.fixed_point`."""
        ...


def index_path(terminology: Terminology, name: str) -> Path:
    """The folder of the index of that name."""
    return terminology.path / "index" / name


def index_kind(terminology: Terminology, name: str) -> str | None:
    """The kind of the index of that name, None if it has not been built."""
    path = index_path(terminology, name)
    if not path.is_dir():
        return None
    rebuild = Step.BUILD_INDEX(terminology=terminology.path, retrievers=[name])
    return str(artifact.read_manifest(path, MANIFEST, what="index", rebuild=rebuild).get("kind"))


@contextmanager
def writing_index(
    terminology: Terminology, name: str, *, kind: str, options: Mapping[str, Any]
) -> Iterator[Path]:
    """A directory to fill. At the end of the block it is stamped with the terminology's digest and renamed into place."""
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
    terminology: Terminology, name: str, *, kind: str, rebuild: Advice | None = None
) -> tuple[Path, dict[str, Any]]:
    """The index's directory and its options, checked against the terminology.

    rebuild  how to build it; alone if left out

    Raises StoreError if it has not been built, DamagedError if files are missing or damaged, and MismatchError if it was
    built from other content or by another version. Each says how to build it.
    """
    path = index_path(terminology, name)
    facts = {"terminology": str(terminology.path), "retrievers": [kind]}
    # If one index is outdated, the others usually are, too.
    outdated = rebuild or Step.UPDATE_INDEXES(**facts)
    rebuild = rebuild or Step.BUILD_INDEX(**facts)
    fields = artifact.read_manifest(path, MANIFEST, what=f"{kind} index", rebuild=rebuild)
    if fields.get("index") != INDEX_VERSION or fields.get("kind") != kind:
        raise MismatchError(
            f"{path} is of kind {fields.get('kind')} and format {fields.get('index')}; "
            f"expected {kind} and {INDEX_VERSION}.",
            rebuild,
        )
    if fields.get("terminology") != terminology.digest:
        raise MismatchError(
            f"{path} was built from other content of the terminology "
            f"(digest {fields.get('terminology')}, now {terminology.digest}).",
            outdated,
        )
    if fields.get("text") != text.VERSION:
        raise MismatchError(
            f"{path} was built by a linnet that normalises names differently (version {fields.get('text')}, "
            f"now {text.VERSION}).",
            outdated,
        )
    artifact.check(path, fields, rebuild=rebuild)
    return path, dict(fields["options"])


class Companion(ABC):
    """A folder beside the indexes of a terminology that makes linking faster or better.

    kind     its name
    version  of its files' content; a folder of another version is out of date
    """

    kind: ClassVar[str]
    version: ClassVar[int]

    @classmethod
    @abstractmethod
    def read(cls, path: Path, *, rebuild: Advice) -> Self:
        """Map the files of its folder. Raises DamagedError, which advises `rebuild`, if one cannot be read."""

    @classmethod
    def open(cls, terminology: Terminology) -> Self:
        """Open `index/KIND`. Raises as `open_index`, and MismatchError if another version built it."""
        rebuild = Step.BUILD_INDEX(terminology=terminology.path, update=True)
        path, options = open_index(terminology, cls.kind, kind=cls.kind, rebuild=rebuild)
        if options.get("version") != cls.version:
            raise MismatchError(
                f"{path} was built by another linnet (version {options.get('version')}, now {cls.version}).",
                rebuild,
            )
        # An update would not notice damage that has not been noticed until now.
        return cls.read(path, rebuild=Step.BUILD_INDEX(terminology=terminology.path))

    @classmethod
    def open_current(cls, terminology: Terminology) -> Self | None:
        """`open`, or None if it is absent or out of date: only for companions that change no answer.

        Raises DamagedError if it is damaged or cannot be read.
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
