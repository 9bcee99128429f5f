"""What a saved pipeline keeps of its terminologies: where each lies and its digest, as the ids that it gives must not change unnoticed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from linnet.errors import DamagedError, MismatchError
from linnet.terminology import Terminology

__all__ = ["check_same", "read_saved", "saved"]


def saved(terminologies: Iterable[Terminology]) -> bytes:
    """Path and digest of each, as JSON."""
    kept = [{"path": str(one.path.absolute()), "digest": one.digest} for one in terminologies]
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
    terminologies: Sequence[Terminology],
    *,
    named: Sequence[str],
    name: str,
) -> None:
    """Raises MismatchError where terminologies have not the digests of those that a pipeline was made with.

    made_with  paths and digests        named  what the terminologies are called here        name  as in `read_saved`
    """
    now = [one.digest for one in terminologies]
    if now != [digest for _, digest in made_with]:
        made, here = _listed(made_with), _listed(list(zip(named, now, strict=True)))
        raise MismatchError(
            f"The component '{name}' was made with terminology {made}; here it has {here}, whose concepts may "
            "differ. Name the one it was made with, "
            f"spacy.load(…, config={{'components': {{'{name}': {{'terminology': DIR}}}}}}), "
            "or make the pipeline anew and save it again."
        )


def _listed(both: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{path} (digest {digest})" for path, digest in both)
