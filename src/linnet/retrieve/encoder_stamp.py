"""Which encoder an index was built with, as its `index.json` says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from linnet.advice import Advice, Step
from linnet.encode.named_models import SHIPPED, model_place
from linnet.errors import LinnetError, MismatchError
from linnet.io import artifact
from linnet.retrieve.index import MANIFEST, index_path
from linnet.terminology import Terminology

__all__ = ["Stamped", "encoder_source", "encoder_stamp", "index_encoder", "same_encoder"]


class Stamped(Protocol):
    """What identifies an encoder."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def digest(self) -> str: ...


E = TypeVar("E", bound=Stamped)


def encoder_source(encoder: str | Path) -> str:
    """Where an index says that its encoder is: an absolute path, or the name of a shipped model or of one on the hub."""
    path = model_place(encoder)
    own = path.is_dir() and path.parent != SHIPPED
    return str(path.resolve() if own else encoder)


def encoder_stamp(encoder: Stamped, source: str) -> dict[str, Any]:
    """source  as of `encoder_source`; "" if the encoder is stored in the index"""
    return {
        "name": encoder.name,
        "digest": encoder.digest,
        "dimensions": encoder.dimensions,
        "source": source,
    }


def index_encoder(terminology: Terminology, name: str) -> str | None:
    """Name or path of the encoder of the index `name`, of whatever content; None without such an index, or one of vectors.

    Raises DamagedError for an unreadable `index.json`.
    """
    path = index_path(terminology, name)
    if not path.is_dir():
        return None
    rebuild = Step.BUILD_INDEX(terminology=terminology.path, retrievers=[name], encoder="NAME")
    fields = artifact.read_manifest(path, MANIFEST, what="index", rebuild=rebuild)
    stamp = fields.get("options", {}).get("encoder")
    return str(stamp["source"] or path / "encoder") if stamp else None


def same_encoder(
    terminology: Terminology,
    path: Path,
    stamp: dict[str, Any],
    wanted: E | str | Path | None,
    *,
    kind: str,
    load: Callable[[str | Path], E],
    rebuild: Advice | None = None,
) -> E:
    """The encoder that the index at `path` was built with.

    wanted  None: that of the stamp. Otherwise an encoder, or what `load` takes
    kind    of the index, for messages; rebuild: how to build it, where it is not by its kind

    Raises MismatchError if `wanted` is another, or if the one of the stamp cannot be opened.
    """
    of_kind = partial(Step.BUILD_INDEX, terminology=terminology.path, retrievers=[kind])
    built = f"Index '{path}' was built with encoder '{stamp['name']}' ({stamp['dimensions']}-d)"
    if wanted is None:
        try:
            encoder = load(stamp["source"] or path / "encoder")
        except LinnetError as error:
            raise MismatchError(
                f"{built}, which cannot be opened: {error.message}",
                *error.advice,
                rebuild or of_kind(encoder="NAME"),
            ) from None
    else:
        encoder = load(wanted) if isinstance(wanted, str | Path) else wanted
    if (encoder.digest, encoder.dimensions) != (stamp["digest"], stamp["dimensions"]):
        other = " of other weights" if encoder.name == stamp["name"] else ""
        requested = wanted if isinstance(wanted, str | Path) else encoder.name
        raise MismatchError(
            f"{built}; you asked for '{encoder.name}' ({encoder.dimensions}-d){other}.",
            rebuild or of_kind(encoder=str(requested)),
        )
    return encoder
