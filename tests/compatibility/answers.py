"""Questions to what an earlier linnet wrote, and how their answers are compared with those that it gave itself.

They go through the command line, whose options and JSON are a contract, so that they outlive changes inside.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import tarfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from linnet.cli import app

__all__ = [
    "EVALUATED",
    "FIXTURES",
    "LINKINGS",
    "SEARCHES",
    "differences",
    "evaluated",
    "figures",
    "files_of",
    "linked",
    "linnet",
    "pack",
    "read_answers",
    "searched",
    "unpack",
    "written",
]

FIXTURES = Path(__file__).parent / "fixtures"
_GIVEN = ("mentions.jsonl", "--input-format", "mentions", "--mentions", "--k", "8", "--threads", "1")
_TEXTS = ("texts.jsonl", "--threads", "1")
LINKINGS: dict[str, tuple[str, ...]] = {
    **{
        f"retriever {name}": (*_GIVEN, "-t", "diseases", "--retriever", name, "--reranker", "none")
        for name in ("exact", "sparse", "char", "word", "bm25", "exact,char,bm25")
    },
    **{
        f"{form} vectors": (*_GIVEN, "-t", form, "--retriever", "dense", "--reranker", "none")
        for form in ("flat", "hnsw", "ivf", "bert")
    },
    "the terminology's own pipeline": (*_GIVEN, "-t", "diseases"),
    "restricted concepts": (*_GIVEN, "-t", "diseases", "--sources", "INVENTED", "OTHER", "--concept-types", "Disease"),
    **{
        f"reranker {name}": (*_GIVEN, "-t", "diseases", "--reranker", f"models/{name}")
        for name in ("dual-transformer", "listwise")
    },
    "an encoder that is named": (*_GIVEN, "-t", "flat", "--pipeline", "encoder.toml"),
    "texts": (*_TEXTS, "-t", "diseases"),
    "texts, two terminologies": (*_TEXTS, "-t", "diseases", "drugs", "--retriever", "exact,char"),
    "texts, the shipped recogniser": (*_TEXTS, "-t", "diseases", "drugs", "--retriever", "exact,char", "--recogniser", "recogniser"),
    "texts, a trained recogniser": (*_TEXTS, "-t", "diseases", "--recogniser", "models/recogniser"),
    "texts, least probability": (*_TEXTS, "-t", "diseases", "--reranker", "models/listwise", "--min-probability", "0.6"),
    "texts, learned version": (*_TEXTS, "-t", "flat", "--learned", "learned"),
}  # fmt: skip
"""Arguments of `linnet link`, in the folder of the fixtures."""


def linnet(*args: str) -> str:
    """Standard output of a command that succeeds, without a word about old or damaged files."""
    done = CliRunner().invoke(app, list(args))
    assert done.exit_code == 0, f"linnet {' '.join(args)}\n{done.stderr}"
    for alarm in ("update linnet", "rebuild", "rebuilt", "migrat", "out of date", "damaged", "run: linnet"):
        assert alarm not in done.stderr.lower(), done.stderr
    return done.stdout


def linked(name: str) -> list[Any]:
    """The records that one of the `LINKINGS` gives."""
    pipeline = Path("encoder.toml")
    pipeline.write_text('encoder = "models/ngram"\n', encoding="utf-8")
    try:
        return _records(linnet("link", *LINKINGS[name]))
    finally:
        pipeline.unlink()


SEARCHES = ("cold", "kidney", "liv canc", "T:002", "T:991", "beta thal")


def searched(words: str) -> list[Any]:
    """What `linnet terminology search` finds."""
    return _records(linnet("terminology", "search", "diseases", *words.split(), "--json"))


EVALUATED = ("jsonl.jsonl", "mentions.jsonl", "pubtator.txt", "biocjson.txt", "csv.csv", "parquet.parquet")


def evaluated(name: str, place: Path) -> Any:
    """The figures of a file in `links/`, as predictions."""
    linnet("evaluate", "dev.pubtator", "--predictions", f"links/{name}", "-o", str(place))
    return figures(place)["results"]


def figures(report: Path) -> Any:
    """What a report says, without its sentences, whose words may change."""
    read = json.loads((report / "report.json").read_text(encoding="utf-8"))
    return _without_sentences({key: value for key, value in read.items() if key != "provenance"})


def _without_sentences(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_sentences(item)
            for key, item in value.items()
            if not (isinstance(item, str) and " " in item)
        }
    return [_without_sentences(item) for item in value] if isinstance(value, list) else value


def written(place: Path) -> Any:
    """What a file or folder of links says, whatever its format: rows, records, or lines."""
    if place.is_dir():
        return {file.name: written(file) for file in sorted(place.iterdir())}
    if place.suffix == ".parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(place)
        return {"schema": str(table.schema.remove_metadata()), "rows": table.to_pylist()}
    text = place.read_text(encoding="utf-8")
    if place.suffix == ".jsonl":
        return _records(text)
    if place.suffix in (".csv", ".tsv"):
        rows = csv.reader(text.splitlines(keepends=True), delimiter="," if place.suffix == ".csv" else "\t")
        return [[_number(cell) for cell in row] for row in rows]
    return json.loads(text) if place.suffix == ".json" else text.splitlines()


def differences(expected: Any, found: Any, place: str = "") -> Iterator[str]:
    """Where two answers differ; numbers may by 0.0002, as processors and versions of numpy round differently."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            if key not in expected or key not in found:
                yield f"{place}.{key}: only in what is {'expected' if key in expected else 'found'}"
            else:
                yield from differences(expected[key], found[key], f"{place}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for number, pair in enumerate(zip(expected, found, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif isinstance(expected, float) and isinstance(found, int | float):
        if not math.isclose(expected, found, abs_tol=2e-4):
            yield f"{place}: expected {expected}, found {found}"
    elif expected != found:
        yield f"{place}: expected {expected!r}, found {found!r}"


def files_of(folder: Path) -> dict[str, str]:
    """Digest of every file in a folder."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def pack(folder: Path, names: Sequence[str], archive: Path) -> None:
    """Some files and folders of a folder as an archive, without their owners."""

    def anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        return info

    with tarfile.open(archive, "w:xz", format=tarfile.PAX_FORMAT) as tar:
        for name in names:
            tar.add(folder / name, name, filter=anonymous)


def unpack(name: str, place: Path) -> Path:
    """An archive's files in a folder, with their times."""
    with tarfile.open(FIXTURES / f"{name}.tar.xz") as tar:
        tar.extractall(place, filter="data")
    return place


def read_answers(name: str) -> Any:
    """The answers of the linnet that made the fixtures."""
    return json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))


def _records(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def _number(cell: str) -> Any:
    """A cell as a number with decimals where it is one."""
    read: Callable[[str], Any] = float if "." in cell else str
    try:
        return read(cell)
    except ValueError:
        return cell
