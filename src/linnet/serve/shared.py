"""What the routes share, found through the request."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import Response

from linnet.errors import RequestError, UnknownNameError
from linnet.recognise import check_types
from linnet.serve.engine import Engine
from linnet.serve.faults import Faults
from linnet.serve.gate import Gate
from linnet.serve.keeper import Keeper
from linnet.serve.metrics import Metrics
from linnet.serve.refusals import Invalid, WrongFormat
from linnet.serve.settings import Limits
from linnet.serve.snapshot import Snapshot
from linnet.serve.watch import Watch

__all__ = [
    "Flow",
    "Now",
    "Service",
    "Shared",
    "checked_k",
    "checked_types",
    "json_answer",
    "json_sent",
    "known_parameters",
    "unknown_type",
]


@dataclass(slots=True)
class Service:
    """What answers requests in this process. gate: None until the application is complete."""

    keeper: Keeper
    engine: Engine
    metrics: Metrics
    faults: Faults
    watches: Sequence[Watch]
    limits: Limits
    gate: Gate | None = None

    @property
    def ending(self) -> bool:
        """Whether no new request is answered."""
        return self.gate is not None and self.gate.ending

    def reload(self) -> None:
        """Read everything again soon, whether or not it seems changed. Returns at once."""
        for watch in self.watches:
            watch.ask()


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _snapshot(request: Request) -> Snapshot:
    snapshot: Snapshot = request.state.snapshot
    return snapshot


def _flow(request: Request) -> str:
    return str(request.state.flow)


Shared = Annotated[Service, Depends(_service)]
Now = Annotated[Snapshot, Depends(_snapshot)]
"""The snapshot this request began with."""
Flow = Annotated[str, Depends(_flow)]
"""Whose request it is, for the engine."""


def checked_k(k: int, limits: Limits) -> int:
    """The number of candidates. Raises Invalid for more than are given."""
    if k > limits.candidates:
        raise Invalid(
            f"k is {k:,}.",
            expected=f"At most {limits.candidates:,} candidates are given.",
            fields={"k": f"should be at most {limits.candidates}"},
        )
    return k


def checked_types(types: Collection[str] | None, snapshot: Snapshot) -> tuple[str, ...] | None:
    """Of mentions that are to be kept. Raises Invalid for a type that the recogniser never finds."""
    try:
        check_types(types or (), snapshot.linker.recogniser)
    except UnknownNameError as error:
        raise unknown_type(error) from None
    except RequestError as error:
        raise Invalid(str(error), fields={"types": "there are none"}) from None
    return None if types is None else tuple(types)


def unknown_type(error: UnknownNameError) -> Invalid:
    """What a client is told of a type that does not exist."""
    advice = "Give several one by one: types=A&types=B" if "," in error.name else ""
    return Invalid(error.got, expected=error.expected, advice=advice, fields={"types": "unknown"})


def known_parameters(request: Request) -> None:
    """Raises Invalid for a parameter behind the ? that the address does not take: a misspelt one must not pass for one left out."""
    route = request.scope["route"]
    known = [str(field.alias) for field in route.dependant.query_params]
    for name in request.query_params:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise Invalid(
                f"There is no parameter '{name[:100]}'.{hint}",
                expected=f"There are: {', '.join(known)}." if known else "There are none here.",
                fields={name[:100]: "unknown"},
            )


def json_sent(request: Request) -> None:
    """Raises WrongFormat for a body that does not say that it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise WrongFormat(
            f"The body is of type '{kind[:100]}'."
            if kind
            else "The request does not say of what type its body is.",
            expected="Expected Content-Type: application/json.",
            advice="With curl: -H 'Content-Type: application/json'.",
        )


def json_answer(text: str) -> Response:
    """JSON that has been written already."""
    return Response(text, media_type="application/json")
