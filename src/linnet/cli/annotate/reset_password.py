"""`linnet annotate reset-password`: a new password for an account."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from linnet.cli.common_options import Data, Database
from linnet.cli.failures import needs_extra

__all__ = ["reset_password"]


def reset_password(
    name: Annotated[str, typer.Argument(help="Name of the account.", metavar="NAME")],
    data: Data = None,
    database: Database = "",
) -> None:
    """Set a new password for an account of the annotation tool.

    Asks for the password twice, or reads one line from standard input if that is not a terminal. Ends all sessions of the
    account. The server may be running.

    Examples:
      linnet annotate reset-password ada
      linnet annotate reset-password ada --data study/ < password.txt
    """
    from linnet.cli.progress import note

    with needs_extra("The annotation tool", "annotate"):
        from linnet.annotate.domain.accounts import recovery
        from linnet.annotate.settings import Settings, data_directory
    settings = Settings(data=(data or data_directory()).resolve(), database=database)
    account = recovery.find_account(settings, name)
    if sys.stdin.isatty():
        password = str(
            typer.prompt(
                f"New password for {account.name}", hide_input=True, confirmation_prompt=True, err=True
            )
        )
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    recovery.reset_password(settings, account.name, password)
    note(f"{account.name} ({account.role}) has a new password. All sessions of the account have ended.")
    if not account.active:
        note("The account is disabled. An admin can enable it on the page Accounts with “May sign in”.")
