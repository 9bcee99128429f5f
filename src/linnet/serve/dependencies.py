"""What the routes depend on: the service, the snapshot of the request, and checks of parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated

from fastapi import Depends, Request

from linnet.errors import RequestError, UnknownNameError
from linnet.http.refusals import Invalid, WrongFormat
from linnet.recognise import check_types
from linnet.serve.faults import Faults
from linnet.serve.metrics import Metrics
from linnet.serve.poller import Poller
from linnet.serve.reloader import Reloader
from linnet.serve.scheduler import Scheduler
from linnet.serve.settings import Limits
from linnet.serve.snapshot import Snapshot

__all__ = [
    "CurrentSnapshot",
    "Flow",
    "Service",
    "TheService",
    "check_content_type",
    "check_parameters",
    "checked_k",
    "checked_types",
    "unknown_type",
]


@dataclass(slots=True)
class Service:
    """The parts that answer requests in this process. leaving, ending: as of `create_app`."""

    reloader: Reloader
    scheduler: Scheduler
    metrics: Metrics
    faults: Faults
    pollers: Sequence[Poller]
    limits: Limits
    leaving: Callable[[], bool]
    ending: Callable[[], bool]

    def reload(self) -> None:
        """Read everything again soon, changed or not. Returns at once."""
        for poller in self.pollers:
            poller.wake()


# Dependencies are coroutines: FastAPI hands plain functions to a thread each, which took a third of the time of a request.


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _snapshot(request: Request) -> Snapshot:
    snapshot: Snapshot = request.state.snapshot
    return snapshot


async def _flow(request: Request) -> str:
    return str(request.state.flow)


TheService = Annotated[Service, Depends(_service)]
CurrentSnapshot = Annotated[Snapshot, Depends(_snapshot)]
"""The snapshot with which this request began."""
Flow = Annotated[str, Depends(_flow)]
"""The owner of the request, for the scheduler."""


def checked_k(k: int, limits: Limits) -> int:
    """The number of candidates. Raises Invalid if it is above the limit."""
    if k > limits.candidates:
        raise Invalid(
            f"k is {k:,}.",
            expected=f"Expected at most {limits.candidates:,} candidates.",
            fields={"k": f"should be at most {limits.candidates}"},
        )
    return k


def checked_types(types: Collection[str] | None, snapshot: Snapshot) -> tuple[str, ...] | None:
    """The types of mentions to keep. Raises Invalid for a type that the recogniser never finds."""
    try:
        check_types(types or (), snapshot.linker.recogniser)
    except UnknownNameError as error:
        raise unknown_type(error) from None
    except RequestError as error:
        raise Invalid(error.happened, *error.advice, fields={"types": "the recogniser has none"}) from None
    return None if types is None else tuple(types)


def unknown_type(error: UnknownNameError) -> Invalid:
    """The refusal for a type that does not exist."""
    advice = "Give several one by one: types=A&types=B" if "," in error.name else ""
    return Invalid(error.got, expected=error.expected, next_step=advice, fields={"types": "unknown"})


async def check_parameters(request: Request) -> None:
    """Raises Invalid for an unknown query parameter: a misspelt one must not be ignored."""
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


async def check_content_type(request: Request) -> None:
    """Raises WrongFormat for a body whose Content-Type is not JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise WrongFormat(
            f"The Content-Type is '{kind[:100]}'." if kind else "The request has no Content-Type.",
            expected="Expected Content-Type: application/json.",
            next_step="With curl: -H 'Content-Type: application/json'.",
        )
