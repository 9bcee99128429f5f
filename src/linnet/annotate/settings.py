"""Settings of server and trainer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from linnet.advice import Step
from linnet.errors import RequestError

__all__ = ["Settings", "data_directory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the data is.

    data           folder of the database, unless it is elsewhere, and of the model versions
    database       URL; "" for SQLite in `data`
    terminologies  compiled terminologies for projects, besides those in `data/terminologies/`
    """

    data: Path
    database: str = ""
    terminologies: tuple[Path, ...] = ()

    @property
    def database_url(self) -> str:
        """URL of the database, SQLite's included."""
        return self.database or f"sqlite:///{self.data / 'linnet.db'}"

    def check_database(self) -> None:
        """Raise RequestError if there is no database yet, which opening it would make."""
        if not self.database and not (self.data / "linnet.db").is_file():
            raise RequestError(
                f"{self.data} has no database of linnet annotate (linnet.db).", Step.GIVE_DATA_FOLDER()
            )


def data_directory() -> Path:
    """`$LINNET_ANNOTATE`, else the platform's folder for user data. It may not exist yet."""
    if named := os.environ.get("LINNET_ANNOTATE"):
        return Path(named)
    return platformdirs.user_data_path("linnet", appauthor=False) / "annotate"
