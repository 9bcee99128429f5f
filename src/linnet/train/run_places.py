"""Which folders a run may write: nothing but an earlier model, its run and its checkpoints is ever replaced."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from linnet.advice import Step
from linnet.encode.model import MANIFEST
from linnet.errors import DataError, RequestError, StoreError
from linnet.io.files import read_text
from linnet.train.loop import BEST, LAST, checkpoint_folder
from linnet.train.task import RunSettings

__all__ = ["PROVENANCE", "SETTINGS", "check_places", "emptied"]

# Files of a run's folder.
SETTINGS, PROVENANCE = "run.toml", "provenance.json"


def check_places(
    settings: RunSettings, folder: Path, *, resume: bool, overwrite: bool, run_file: str | Path
) -> None:
    """Refuse to replace anything else, and to resume without a run.

    folder  of the run

    Raises RequestError, or StoreError where the directory of checkpoints does not exist.
    """
    if resume and overwrite:
        raise RequestError("To resume continues a run, to overwrite starts it again. Leave one of them out.")
    _check_run(settings, folder, resume=resume, overwrite=overwrite, run_file=run_file)
    if settings.loop.checkpoints is not None:
        _check_checkpoints(
            settings.loop.checkpoints,
            checkpoint_folder(settings.loop, folder),
            resume=resume,
            overwrite=overwrite,
            run_file=run_file,
        )


def emptied(folder: Path) -> None:
    """Make the folder, or empty it."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)


def _check_run(
    settings: RunSettings, folder: Path, *, resume: bool, overwrite: bool, run_file: str | Path
) -> None:
    output = settings.output
    if _taken(output) and not (output / MANIFEST).is_file():
        raise RequestError(f"{output} exists and is not a model. Choose another `output` in {run_file}.")
    if _taken(folder) and not (folder / SETTINGS).is_file():
        raise RequestError(f"{folder} exists and is not a run. Choose another `output` in {run_file}.")
    if resume:
        if not (folder / SETTINGS).is_file():
            raise RequestError(f"There is no run in {folder} to resume.", Step.START_RUN(run=run_file))
    elif not overwrite and (_taken(folder) or _taken(output)):
        unfinished = _taken(folder) and not _finished(folder)
        if unfinished:
            raise RequestError(f"{folder} holds an unfinished run.", Step.RESUME_RUN(run=run_file))
        raise RequestError(f"{output} is already trained.", Step.REPLACE_RUN(run=run_file))


def _check_checkpoints(
    folder: Path, own: Path, *, resume: bool, overwrite: bool, run_file: str | Path
) -> None:
    """Refuse a missing directory of checkpoints, and to replace anything but checkpoints of this run."""
    if not folder.is_dir():
        raise StoreError(
            f"{folder}, the 'loop.checkpoints' of {run_file}, does not exist. Make it or mount its disk, and start again."
        )
    if resume and not own.is_dir():
        raise StoreError(
            f"{own}, which held the checkpoints of this run, does not exist. Restore it.",
            Step.START_AGAIN(),
        )
    strange = (
        sorted(path.name for path in own.iterdir() if path.name not in (LAST, BEST)) if own.is_dir() else []
    )
    if strange:
        raise RequestError(
            f"{own} holds other files than checkpoints ({strange[0]}). Choose other 'loop.checkpoints'."
        )
    if not resume and not overwrite and _taken(own):
        raise RequestError(
            f"{own} holds checkpoints of an earlier run. Choose other 'loop.checkpoints'.",
            Step.REPLACE_RUN(run=run_file),
        )


def _finished(folder: Path) -> bool:
    """Whether its provenance says that a run was completed."""
    try:
        return json.loads(read_text(folder / PROVENANCE))["result"]["ending"] in ("steps", "patience")
    except (DataError, ValueError, KeyError, TypeError):
        return False


def _taken(path: Path) -> bool:
    return path.exists() and (not path.is_dir() or any(path.iterdir()))
