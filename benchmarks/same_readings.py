"""Whether a change of `linnet.read` leaves what its functions say of real strings as it is.

    LINNET_DATA=… python benchmarks/same_readings.py write before.npz
    LINNET_DATA=… python benchmarks/same_readings.py write after.npz
    python benchmarks/same_readings.py compare before.npz after.npz

Strings: conditions and interventions of trials, HPO notes and case reports by line and by sentence, mentions and lines of
AskAPatient, NCBI, BC5CDR and MedMentions, drug strings, and names of MEDIC and MeSH. `compare` exits with 1 when anything differs.
`tests/read/test_frozen.py` holds the digests of a sample. Each commit is written with its own copy of this script, and compared by the
names of the functions.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from linnet.read import assertion_cues, denials, doses, qualifiers, shorthand
from linnet.read.abbreviations.definitions import find_definitions
from linnet.read.chemical_symbols import chemical_name
from linnet.read.divide import series, tree
from linnet.read.divide.shared_words import possible_splits
from linnet.read.placeholders import placeholder
from linnet.read.plain_text import plain_text
from linnet.words.sentences import split_sentences

EXAMPLES = 10
NAMES = 60_000  # of each terminology at most
LONGEST = 600  # characters of a string


def functions() -> dict[str, Callable[[str], Any]]:
    """Name → function of a string, of everything that a list or a pattern of `linnet.read` decides."""

    def enumerations_in(text: str) -> list[Any]:
        return [series.enumeration_from(text, 0, place) for place, c in enumerate(text) if c in " ,/"]

    return {
        "without_qualifiers": lambda text: [
            (bare.text, bare.marks, float(bare.words)) for bare in qualifiers.without_qualifiers(text)
        ],
        "is_only_qualifiers": qualifiers.is_only_qualifiers,
        "is_non_answer": lambda text: bool(placeholder(text)),
        "is_negated": denials.is_negated,
        "denial": denials.denial,
        "expansions": shorthand.expansions,
        "write_out_joined": shorthand.write_out_joined,
        "short_forms_of": shorthand.short_forms_of,
        "strip_doses": doses.strip_doses,
        "names_dosage_form": doses.names_dosage_form,
        "possible_splits": possible_splits,
        "tree": lambda text: tree(text, composites=True, shorthand=True),
        "is_enumeration": series.is_enumeration,
        "numbered_names": series.numbered_names,
        "numbered_lists": lambda text: [tuple(each) for each in series.numbered_lists(text)],
        "enumeration_from": enumerations_in,
        "chemical_name": chemical_name,
        "definitions": find_definitions,
        "plain_text": plain_text,
        "cues": lambda text: assertion_cues.find_cues(assertion_cues.tokens_of(text, 0, len(text))),
        "ends": lambda text: assertion_cues.find_ends(assertion_cues.tokens_of(text, 0, len(text))),
    }


def digest(values: Iterable[Any]) -> str:
    """Of the values in order, equal for equal ones."""
    return hashlib.sha256("\n".join(map(repr, values)).encode()).hexdigest()[:16]


def shared_strings(data: Path) -> list[str]:
    """The distinct strings in `LINNET_DATA`, in a fixed order."""
    return sorted({text for text in _strings(data) if text.strip() and len(text) <= LONGEST})


def sample(strings: list[str], count: int) -> list[str]:
    """The same ones each time."""
    return random.Random(38).sample(strings, min(count, len(strings)))


def _strings(data: Path) -> Iterator[str]:
    corpora, terminologies = data / "corpora", data / "terminologies"
    for trial in _rows(corpora / "clinical-trials/trials.jsonl"):
        yield from trial["conditions"]
        yield from (intervention["name"] for intervention in trial["interventions"])
        yield trial["title"]
    notes = [*sorted(corpora.glob("hpo-notes/*.jsonl")), corpora / "mtsamples/annotated.jsonl.gz"]
    for note in (row["text"] for path in notes for row in _rows(path)):
        yield from map(str.strip, note.splitlines())
        yield from (note[start:end].strip() for start, end in split_sentences(note))
    for path in sorted(corpora.glob("askapatient/*.tsv")):
        for row in csv.reader(StringIO(path.read_text(encoding="utf-8")), delimiter="\t"):
            yield from (row[0], row[-1])
    for path in [*sorted(corpora.glob("ncbi-disease/*.txt")), *sorted(corpora.glob("bc5cdr/*.txt"))]:
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from line.split("\t")[3:4] or line.split("|t|")[1:]
    yield from (row["text"] for row in _rows(corpora / "medmentions-st21pv/train.jsonl.gz"))
    for path in sorted(corpora.glob("drug-strings/*")):
        delimiter = ";" if path.suffix == ".csv" else "\t"
        for row in csv.reader(StringIO(path.read_text(encoding="utf-8")), delimiter=delimiter):
            yield from row[:4]
    medic = (terminologies / "medic/medic_06Jul2012.txt").read_text(encoding="utf-8").splitlines()
    yield from _some(name for line in medic for name in line.split("||")[1:] for name in name.split("|"))
    with gzip.open(terminologies / "mesh2024/mesh2024_terms.tsv.gz", "rt", encoding="utf-8") as stream:
        yield from _some(line.split("\t")[3] for line in stream)


def _some(names: Iterable[str]) -> list[str]:
    return sample(sorted(set(names)), NAMES)


def _rows(path: Path) -> Iterator[Any]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def write(path: Path, every: int) -> None:
    """Hashes of what each function says of each string."""
    strings = shared_strings(Path(os.environ["LINNET_DATA"]))[::every]
    answers: dict[str, Any] = {"strings": np.array(strings)}
    for name, function in functions().items():
        start = time.process_time()
        hashes = [hashlib.blake2b(repr(function(text)).encode(), digest_size=8).digest() for text in strings]
        answers[name] = np.frombuffer(b"".join(hashes), np.uint64)
        print(f"{name:20} {len(strings):7,} strings {time.process_time() - start:7.1f} s", flush=True)
    np.savez_compressed(path, **answers)


def compare(before: Path, after: Path) -> bool:
    """Whether both say the same of the same strings; prints the first that differ."""
    old, new = np.load(before), np.load(after)
    if not np.array_equal(old["strings"], new["strings"]):
        sys.exit("The files hold different strings: write both with the same script and data.")
    same = True
    for name in old.files[1:]:
        differing = np.flatnonzero(old[name] != new[name])
        same = same and not len(differing)
        print(f"{name:20} {len(old[name]):7,} strings {len(differing):6,} differ")
        for row in differing[:EXAMPLES]:
            text = str(old["strings"][row])
            print(f"    {text!r}: now {functions()[name](text)!r}")
    return same


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["write", "compare"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="every n-th string only")
    options = parser.parse_args()
    if options.action == "write":
        write(options.files[0], options.every)
    elif not compare(*options.files):
        sys.exit(1)


if __name__ == "__main__":
    main()
