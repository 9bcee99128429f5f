"""A run: from a run file to a model directory, and OUTPUT.run/ beside it, from which the run can be repeated or resumed.

run.toml          every setting, with defaults
provenance.json   seed, digests of the data, versions, hardware, and the result
metrics.csv       a row for each evaluation, as it happens; metrics.png plots it
last.safetensors  the last checkpoint          best.safetensors  the weights of the best evaluation
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from linnet.advice import Step
from linnet.errors import DamagedError, DataError, MismatchError, RequestError
from linnet.io.filenames import writable
from linnet.io.files import open_output, read_text
from linnet.io.settings_files import as_table, portable, read_table, settings_from, variables_of
from linnet.io.toml import to_toml
from linnet.registry import refuse_removed
from linnet.train.device import device_of
from linnet.train.loop import LAST, Progress, Trained, checkpoint_folder, train
from linnet.train.objectives.build import with_preset
from linnet.train.provenance import hardware, packages
from linnet.train.repeatable import repeatable
from linnet.train.run_places import PROVENANCE, SETTINGS, check_places, emptied
from linnet.train.task import LoopSettings, RunSettings, Task
from linnet.train.tasks import task_class, tasks

__all__ = ["Outcome", "folder_of", "read_run", "run"]

_NAMES = frozenset({"name", "encoder.name"})
"""Keys that change no weight: earlier runs were named after their kind."""


class Outcome(NamedTuple):
    """The result of a run. `settings.output` holds the model unless the run was interrupted (`trained.ending`).

    `settings.loop.steps` is the number of steps, also where the run file asks for passes.
    """

    settings: RunSettings
    trained: Trained


def run(
    path: str | Path, *, resume: bool = False, overwrite: bool = False, progress: Progress | None = None
) -> Outcome:
    """Train as a run file says.

    resume     from the last checkpoint in OUTPUT.run/; bit for bit the result of an uninterrupted run, on the same
               machine with the same versions
    overwrite  replace an earlier model or run

    Raises DataError for an unusable run file, RequestError where `output` is taken, MismatchError where a resumed run's
    settings or data have changed, DamagedError for a damaged checkpoint, TrainingError from the loop, and as
    `Task.prepare`.
    """
    settings, kind = read_run(path)
    folder, variables = folder_of(settings), variables_of(path)
    table = _written_out(settings, beside=folder, variables=variables)
    check_places(settings, folder, resume=resume, overwrite=overwrite, run_file=path)
    card = "" if settings.card is None else read_text(settings.card)
    if resume:
        _check_settings(folder, table, variables)
    device = device_of(settings.loop)
    with repeatable(settings.seed, device, threads=settings.loop.threads):
        task = kind.prepare(settings)
        loop = _counted(settings, task)
        if progress is not None:
            progress.planned(loop.steps)
        data = {
            portable(Path(name), folder, variables) if Path(name).is_absolute() else name: digest
            for name, digest in task.inputs().items()
        }
        facts: dict[str, Any] = {
            "task": settings.task,
            "seed": settings.seed,
            "settings": table,
            "data": data,
            "packages": packages(),
            "hardware": hardware(device),
        }
        if resume:
            sessions, notes = _check_data(folder, facts, checkpoint_folder(settings.loop, folder) / LAST)
            if progress is not None:
                for note in notes:
                    progress.notify(note)
        else:
            sessions = []
            emptied(folder)
            if settings.loop.checkpoints is not None:
                emptied(checkpoint_folder(settings.loop, folder))
            with open_output(folder / SETTINGS) as stream:
                stream.write(to_toml(table))
        sessions.append({"began": datetime.now(UTC).isoformat(timespec="seconds"), **_changing(facts)})
        _write_json(folder / PROVENANCE, {**facts, "sessions": sessions})
        title = f"{settings.output.name}: {settings.task}"
        trained = train(task, loop, folder, title=title, progress=progress)
        facts["result"] = {
            "ending": trained.ending,
            "steps": trained.step,
            "best_step": trained.best_step,
            "scores": trained.scores,
            "seconds": round(trained.seconds, 1),
        }
        _write_json(folder / PROVENANCE, {**facts, "sessions": sessions})
        if trained.ending in ("steps", "patience"):
            task.save(settings.output, card=_card(card, settings, facts, to_toml(table)), training=facts)
    return Outcome(replace(settings, loop=loop), trained)


def read_run(path: str | Path) -> tuple[RunSettings, type[Task]]:
    """The settings of a run file, and its task. Raises DataError for an unusable file, UnknownNameError for an unknown task,
    MismatchError for one that linnet had once."""
    table = read_table(path)
    if not isinstance(table.get("task"), str):
        raise DataError(
            f'this run file names no task. Write, for example: task = "{next(iter(tasks), "synonyms")}". '
            f"Choose from: {', '.join(sorted(tasks))}.",
            path=path,
        )
    refuse_removed(f"{path} asks for the task", table["task"])
    encoder = table.get("encoder")
    if isinstance(encoder, Mapping):
        refuse_removed(f"{path} asks for an encoder of kind", encoder.get("kind"))
    kind = task_class(table["task"])
    return _named(settings_from(table, kind.Settings, path=path), table), kind


def _named(settings: Any, table: Mapping[str, Any]) -> Any:
    """The settings with the name of the output for a model that the run file does not name."""
    name, encoder = settings.output.name, getattr(settings, "encoder", None)
    if hasattr(settings, "name") and "name" not in table:
        return replace(settings, name=name)
    if encoder is not None and hasattr(encoder, "name") and "name" not in table.get("encoder", {}):
        return replace(settings, encoder=replace(encoder, name=name))
    return settings


def _written_out(settings: RunSettings, *, beside: Path, variables: Mapping[str, str]) -> dict[str, Any]:
    """The settings as a table with all defaults that hold: those of a preset in its place, no `steps` beside `passes`."""
    table = as_table(settings, beside=beside, variables=variables)
    if settings.loop.passes is not None:
        del table["loop"]["steps"]
    for section, given in table.items():
        if isinstance(given, dict) and "preset" in given:
            table[section] = with_preset(given, section)
    return table


def folder_of(settings: RunSettings) -> Path:
    """OUTPUT.run/"""
    return settings.output.with_name(f"{settings.output.name}.run")


def _counted(settings: RunSettings, task: Task) -> LoopSettings:
    """The loop's settings with a number of steps."""
    if settings.loop.passes is None:
        return settings.loop
    steps = task.steps_of_pass()
    if steps is None:
        raise RequestError(
            f"'loop.passes' is set, but the task '{settings.task}' has no passes over its data with these settings. "
            "Set 'loop.steps' instead."
        )
    return settings.loop.counted(steps)


def _check_settings(folder: Path, table: Mapping[str, Any], variables: Mapping[str, str]) -> None:
    """Refuse to resume with other settings. A key that linnet did not have when the run began was, in effect, at its default."""
    file = folder / SETTINGS
    before = _written_out(read_run(file)[0], beside=folder, variables=variables)
    changes = _changes(_flat(before), _flat(table), absent="not set")
    if changes:
        raise MismatchError(
            "\n  ".join(["The run file has changed since the run began:", *changes])
            + "\nA run resumes with unchanged settings. Change them back.",
            Step.START_AGAIN(),
        )


def _check_data(
    folder: Path, facts: Mapping[str, Any], checkpoint: Path
) -> tuple[list[dict[str, Any]], list[str]]:
    """The sessions so far, and notes on changed versions or hardware. Refuses to resume with other data."""
    file = folder / PROVENANCE
    try:
        stored = json.loads(read_text(file))
        before, sessions = dict(stored["data"]), list(stored["sessions"])
        last = sessions[-1]
    except (DataError, ValueError, KeyError, IndexError, TypeError) as error:
        raise DamagedError(f"{file} is damaged: {error!r}.", Step.START_AGAIN()) from None
    changes = _changes(before, facts["data"], absent="absent")
    if changes:
        raise MismatchError(
            "\n  ".join(["The data have changed since the run began (digests):", *changes])
            + "\nRestore them.",
            Step.START_AGAIN(),
        )
    notes = []
    differing = sorted(
        name
        for part, values in _changing(facts).items()
        for name in values.keys() | last.get(part, {}).keys()
        if values.get(name) != last.get(part, {}).get(name)
    )
    if differing:
        notes.append(
            f"Changed since the last session: {', '.join(differing)}. The weights may differ in their last digits "
            "from those of an uninterrupted run."
        )
    if not checkpoint.exists():
        notes.append("The run has no checkpoint yet; starting with the first step.")
    return sessions, notes


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], *, absent: str) -> list[str]:
    """A line for each key whose value has changed."""
    return [
        f"{key}: {before.get(key, absent)} → {now.get(key, absent)}"
        for key in sorted((before.keys() | now.keys()) - _NAMES)
        if before.get(key) != now.get(key)
    ]


def _changing(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that may differ between sessions."""
    return {name: facts[name] for name in ("packages", "hardware")}


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return flat


def _write_json(path: Path, table: Mapping[str, Any]) -> None:
    with open_output(path) as stream:
        stream.write(writable(json.dumps(table, indent=1, ensure_ascii=False)) + "\n")


def _card(opening: str, settings: RunSettings, facts: Mapping[str, Any], run_file: str) -> str:
    """The model card: the user's opening, then the facts of the run."""
    result, machine = facts["result"], facts["hardware"]
    scores = "".join(f"| {name} | {value:.4f} |\n" for name, value in result["scores"].items())
    sections = [
        opening.rstrip() or f"# {settings.output.name}",
        "## Training",
        f"Task `{settings.task}`, seed {settings.seed}: {result['steps']:,} steps in {result['seconds']:,.0f} s on "
        f"{machine.get('gpu') or machine['cpu']} (threads: {machine['threads']}).",
    ]
    if scores:
        sections.append(
            f"Scores on development data, weights of step {result['best_step']:,}:\n\n"
            f"| score | value |\n|---|---|\n{scores.rstrip()}"
        )
    data = "\n".join(f"| `{name}` | `{digest}` |" for name, digest in facts["data"].items())
    sections.append(f"| data | digest |\n|---|---|\n{data}")
    sections.append(f"The run file, with defaults written out:\n\n```toml\n{run_file}```")
    return "\n\n".join(sections) + "\n"
