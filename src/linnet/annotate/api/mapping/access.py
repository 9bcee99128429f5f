"""The mapping of a request, and who decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.schemas.base import Id
from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.annotate.refusals import Forbidden

__all__ = ["HEADER", "Review", "Reviewing", "of_folder", "of_project", "sent_by_the_page"]

HEADER = ("X-Linnet", "review")


@dataclass(frozen=True, slots=True)
class Reviewing:
    """What a request is about.

    member   name of the account that decides; "" on one's own machine, where whoever the page names does
    settles  whether their decision ends disputes
    """

    opened: OpenMapping
    member: str = ""
    settles: bool = False

    def who(self, named: str) -> str | None:
        """Who decides: the member, else who is named, None for the user of this machine. Raises Forbidden for another member's name."""
        if self.member and named not in ("", self.member):
            raise Forbidden(f"You are signed in as {self.member}, and decide as nobody else.")
        return self.member or named or None


def _reviewing(request: Request) -> Reviewing:
    reviewing: Reviewing = request.state.reviewing
    return reviewing


Review = Annotated[Reviewing, Depends(_reviewing)]


def of_folder(request: Request) -> None:
    """Give the request the mapping that this server is for."""
    request.state.reviewing = Reviewing(request.app.state.mapping)


def of_project(request: Request, app: App, user: CurrentUser, project: Id) -> None:
    """Give the request the mapping of a project as the user may see it. Raises NotFound if the project has none."""
    opened = app.mappings.get(project, user)
    request.state.reviewing = Reviewing(opened, user.name, user.curates)


def sent_by_the_page(request: Request) -> None:
    """Raise Forbidden for a change without the header.

    There are no accounts: who reaches the server is the user of this machine. The page of another site in the same browser can reach it
    too, but it can set no header of this name without asking first (a preflight), and this server grants that to nobody.
    """
    name, value = HEADER
    if request.method not in ("GET", "HEAD") and request.headers.get(name) != value:
        raise Forbidden(f"Changes need the header {name}: {value}.")
