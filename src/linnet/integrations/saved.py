"""What a saved pipeline keeps of its terminologies and of what was learnt: path and digest, as its ids must not change unnoticed."""

from __future__ import annotations

import json
from collections.abc import Sequence

from linnet.errors import DamagedError, MismatchError

__all__ = ["check_same", "read_saved", "saved"]


def saved(made_with: Sequence[tuple[str, str]]) -> bytes:
    """Paths and digests, as JSON."""
    kept = [{"path": path, "digest": digest} for path, digest in made_with]
    return json.dumps({"terminologies": kept}, indent=1).encode()


def read_saved(data: bytes, *, name: str) -> list[tuple[str, str]]:
    """The paths and digests that `saved` wrote. Raises DamagedError for anything else.

    name  of the component, for messages
    """
    try:
        return [(str(one["path"]), str(one["digest"])) for one in json.loads(data)["terminologies"]]
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedError(
            f"What the component '{name}' was saved as is damaged ({error}). Save the pipeline again."
        ) from error


def check_same(
    made_with: Sequence[tuple[str, str]],
    now: Sequence[tuple[str, str]],
    *,
    name: str,
) -> None:
    """Raises MismatchError where the digests differ from those that a pipeline was made with.

    made_with, now  paths and digests        name  as in `read_saved`
    """
    if [digest for _, digest in now] != [digest for _, digest in made_with]:
        made, here = _listed(made_with), _listed(now)
        raise MismatchError(
            f"The component '{name}' was made with terminology {made}; here it has {here}, whose concepts may "
            "differ. Name the one it was made with, "
            f"spacy.load(…, config={{'components': {{'{name}': {{'terminology': DIR}}}}}}), "
            "or make the pipeline anew and save it again."
        )


def _listed(both: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{path} (digest {digest})" for path, digest in both)
