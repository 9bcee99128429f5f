"""A temporary linker whose dictionary also holds the training mentions."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from linnet.errors import RequestError
from linnet.evaluate.augmentation import augmentation_pairs
from linnet.evaluate.protocols import AUGMENTED
from linnet.link import Linker
from linnet.link.indexing import build_indexes, build_second_index
from linnet.link.member import Member
from linnet.link.second_index import second_index
from linnet.read.abbreviations import spelt_out
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.augment import augment
from linnet.terminology.overrides import FILE as OVERRIDES
from linnet.types import Document

__all__ = ["augmented_linker"]


@contextmanager
def augmented_linker(
    linker: Linker, train: Sequence[Document], *, types: Collection[str] = (), threads: int | None = None
) -> Iterator[Linker]:
    """A copy of `linker` whose terminologies also have the mentions of `train` as names, as written and spelt out.

    types  only mentions of these types

    Its terminologies and indexes are in a temporary directory, removed when the block ends.
    Raises RequestError if no training mention has a concept, StoreError if the disk cannot be written.
    """
    pairs = augmentation_pairs(train, types=types, expand=spelt_out)
    if not pairs:
        raise RequestError(
            f"Protocol '{AUGMENTED}' uses the training mentions as names, but none of them has a concept. "
            "Give training data with concept ids."
        )
    with tempfile.TemporaryDirectory(prefix="linnet-augmented-", ignore_cleanup_errors=True) as folder:
        augmented = [
            _augmented(member, pairs, Path(folder) / str(number), linker, threads)
            for number, member in enumerate(linker.group.members)
        ]
        files = {file for member in linker.group.members for file in member.overrides.files}
        given = files - {member.terminology.path / OVERRIDES for member in linker.group.members}
        yield Linker.open(
            augmented, pipeline=linker.pipeline, threads=threads, overrides=next(iter(given), None)
        )


def _augmented(
    member: Member, pairs: Sequence[tuple[str, str]], path: Path, linker: Linker, threads: int | None
) -> Terminology:
    terminology = member.terminology
    sources = terminology.manifest.get("sources", ())
    built = write_terminology(augment(terminology, pairs), path, sources=sources)
    if (terminology.path / OVERRIDES).exists():
        shutil.copy2(terminology.path / OVERRIDES, path)
    build_indexes(
        built,
        linker.pipeline.retrievers,
        encoder=linker.pipeline.encoder,
        like=terminology,
        glossary=any(getattr(index, "glossary", False) for index in member.indexes),
        threads=threads,
    )
    second = second_index(linker.pipeline.reranker)
    build_second_index(built, second, since=terminology.path, threads=threads)
    return built
