"""Make the fixtures: files of every kind that linnet writes, and the answers that the linnet of this tree gives to them.

    PYTHONPATH=src:. python tests/compatibility/make_fixtures.py
    PYTHONPATH=src:. python tests/compatibility/make_fixtures.py --answers

The second asks again what links there are, after a change of linking or of a shipped model. Terminologies, indexes, models, runs and the
project stay those that the earlier linnet wrote.

Exported transformers (.onnx) name the source files that they were traced through: make them in folders whose paths may be
public. In the ones here these paths were replaced, and the checksums set anew.

Made once by an earlier linnet, and kept, so that later ones can be tested against them (`made.json` says by which one).
Make them anew only for a change of a format that is meant to break them, and say so in CHANGELOG.md.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

from tests.annotate.conftest import Site
from tests.compatibility.answers import (
    EVALUATED,
    FIXTURES,
    LINKINGS,
    SEARCHES,
    evaluated,
    linked,
    linnet,
    pack,
    searched,
    unpack,
    written,
)
from tests.compatibility.invented import RUNS, write_sources
from tests.compatibility.project import annotate, told

from linnet.annotate.settings import Settings
from linnet.encode import load_encoder
from linnet.jobs.outputs import formats
from linnet.train.provenance import packages

# Some files name the folder in which they were made.
HOME = Path("/tmp/linnet-fixtures")
_FOLDERS = {"brat", "text"}
# What differs between machines is left out of manifests.
_PROGRAM = """
import platform, socket, sys
platform.platform, socket.gethostname = lambda: "Linux", lambda: "host"
from linnet.cli import main
main()
"""


def make() -> None:
    """Fill `FIXTURES`."""
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir()
    os.chdir(HOME)
    os.environ["LINNET_CACHE"] = str(HOME / "cache")
    platform.platform = lambda *_: "Linux"
    write_sources(HOME)
    _terminologies()
    for run in (name for name in RUNS if name != "resumed"):
        _run("train", f"{run}.toml")
        for file in Path(f"models/{run}.run").glob("*"):
            if run != "ngram" and file.suffix != ".json":
                file.unlink()
        if run == "ngram":
            _dense("flat", "hnsw", "ivf")
    _run(
        "index", _copied("diseases", "bert"), "--retriever", "exact,dense", "--encoder", "models/transformer"
    )
    _project()
    _outputs()
    _interrupted_training()
    _interrupted_linking()
    _pack()
    _answers()


def _pack() -> None:
    pack(HOME, _home(), FIXTURES / "home.tar.xz")
    pack(HOME, ("data", "backup.zip", "project.json"), FIXTURES / "project.tar.xz")
    pack(
        HOME,
        ("models/resumed.run", "resumed.toml", "many.jsonl", "parts", "many"),
        FIXTURES / "interrupted.tar.xz",
    )


def renew() -> None:
    """Link again what an earlier linnet wrote, and keep the answers of this one."""
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir()
    os.environ["LINNET_CACHE"] = str(HOME / "cache")
    platform.platform = lambda *_: "Linux"
    for name in ("home", "project", "interrupted"):
        unpack(name, HOME)
    os.chdir(HOME)
    for folder in ("links", "report", "parts", "many"):
        shutil.rmtree(folder)
    shutil.copytree("data", "cache/data")  # opening it may change it
    site = Site(Settings(data=HOME / "cache" / "data", terminologies=(HOME / "flat",)), working=False)
    before = json.loads(Path("project.json").read_text(encoding="utf-8"))
    now = told(site.client().sign_in("ada"), before["number"])
    _write(
        "project.json", {**before, "told": {**_as_then(before["told"], now), "log": before["told"]["log"]}}
    )
    site.close()
    _outputs()
    _interrupted_linking()
    _pack()
    made = json.loads((FIXTURES / "made.json").read_text(encoding="utf-8"))
    _answers()
    _write(FIXTURES / "made.json", {**made, "answers": _commit()})


def _as_then(before: Any, now: Any) -> Any:
    """What is told now, without what was added to it since."""
    if isinstance(before, dict) and isinstance(now, dict):
        return {key: _as_then(value, now[key]) for key, value in before.items() if key in now}
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [_as_then(one, other) for one, other in zip(before, now, strict=True)]
    return now


def _home() -> list[str]:
    return sorted(path.name for path in HOME.iterdir() if path.name not in _APART)


_APART = {"cache", "data", "backup.zip", "project.json", "resumed.toml", "many.jsonl", "parts", "many"}


def _run(*args: str) -> None:
    linnet(*args)


def _terminologies() -> None:
    for name in ("diseases", "drugs"):
        _run("terminology", "build", f"{name}.jsonl", "-o", name)
    shutil.copy("overrides.tsv", "diseases/overrides.tsv")
    _run("terminology", "search", "diseases", "cold")
    _copied("diseases", "bare")
    _run("index", "diseases", "--retriever", "exact,sparse,char,word,bm25", "--threads", "1")
    _run("index", "drugs", "--retriever", "exact,char", "--threads", "1")


def _dense(*forms: str) -> None:
    for form in forms:
        _copied("bare", form)
        _run(
            "index",
            form,
            "--retriever",
            "exact,dense",
            "--encoder",
            "models/ngram",
            "--dense",
            form,
            "--threads",
            "1",
        )
    _run("terminology", "search", "flat", "cold")


def _copied(source: str, target: str) -> str:
    shutil.copytree(source, target)
    return target


def _project() -> None:
    settings = Settings(data=HOME / "data", terminologies=(HOME / "flat",))
    site = Site(settings)
    project = annotate(site, HOME / "train.pubtator")
    ada = site.client().sign_in("ada")
    Path("backup.zip").write_bytes(ada.get(f"/api/projects/{project}/backup").content)
    Path("learned.zip").write_bytes(ada.get(f"/api/projects/{project}/models/1/files").content)
    with zipfile.ZipFile("learned.zip") as archive:
        archive.extractall("unpacked")
    [folder] = Path("unpacked").iterdir()
    folder.rename("learned")
    Path("unpacked").rmdir()
    site.close()
    waiting = Site(settings, working=False)
    client = waiting.client().sign_in("ada")
    _write("project.json", {"number": project, "told": told(client, project)})
    client.ok("POST", f"projects/{project}/jobs", {"kind": "predict"})
    waiting.close()


def _outputs() -> None:
    Path("links").mkdir()
    for format in set(formats()) - {"omop"}:  # which takes concept ids of OMOP only
        _run(
            "link",
            "dev.pubtator",
            "--mentions",
            "-t",
            "diseases",
            "--format",
            format,
            "-o",
            f"links/{format}{_suffix(format)}",
        )
    _run("link", "names.csv", "--column", "disease", "-t", "diseases", "-o", "links/names.csv")
    _run(
        "evaluate", "dev.pubtator", "-t", "diseases", "--train-corpus", "train.pubtator", "--retriever", "exact,char",
        "--reranker", "models/listwise", "-o", "report",
    )  # fmt: skip
    for file in ("report.html", "report.md"):
        Path("report", file).unlink(missing_ok=True)


def _suffix(format: str) -> str:
    return {"csv": ".csv", "tsv": ".tsv", "parquet": ".parquet", "jsonl": ".jsonl", "mentions": ".jsonl"}.get(
        format, "" if format in _FOLDERS else ".txt"
    )


def _interrupted_training() -> None:
    process = subprocess.Popen([sys.executable, "-c", _PROGRAM, "train", "resumed.toml"])
    metrics = Path("models/resumed.run/metrics.csv")
    while not metrics.exists() or metrics.read_text().count("\n") < 3:
        time.sleep(0.01)
    process.kill()
    process.wait()
    Path("models/resumed.run/metrics.png").unlink(missing_ok=True)


def _interrupted_linking() -> None:
    texts = [
        json.loads(line)["text"] for line in Path("texts.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    with Path("many.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(600):
            stream.write(
                json.dumps({"id": f"d{number}", "text": f"Case {number}. {texts[number % 5]}"}) + "\n"
            )
    os.utime("many.jsonl", (1_750_000_000, 1_750_000_000))
    arguments = [
        "link",
        "many.jsonl",
        "-t",
        "diseases",
        "--format",
        "jsonl",
        "-o",
        "parts",
        "--jobs",
        "1",
        "--part-size",
        "0.02",
    ]
    process = subprocess.Popen([sys.executable, "-c", _PROGRAM, *arguments, "--resume"])
    journal = Path("parts/_linnet/journal.jsonl")
    while not journal.exists() or journal.read_bytes().count(b"\n") < 2:
        time.sleep(0.002)
    process.kill()
    process.wait()
    arguments[arguments.index("parts")] = "many"
    _run(*arguments)


def _answers() -> None:
    """Ask everything once. What the questions write is no longer packed."""
    _write(FIXTURES / "links.json", {name: linked(name) for name in LINKINGS})
    _write(FIXTURES / "searches.json", {words: searched(words) for words in SEARCHES})
    encoders = {name: load_encoder(HOME / "models" / name, threads=1) for name in ("ngram", "transformer")}
    vectors = {
        name: encoder.encode(["gouty arthritis", "日本語"]).tolist() for name, encoder in encoders.items()
    }
    _write(FIXTURES / "vectors.json", vectors)
    _write(FIXTURES / "evaluations.json", {name: evaluated(name, HOME / "evaluated") for name in EVALUATED})
    linnet("train", "resumed.toml", "--resume")
    _write(FIXTURES / "training.json", {"metrics": written(Path("models/resumed.run/metrics.csv"))})
    _write(
        FIXTURES / "made.json", {"commit": _commit(), "packages": packages(), "at": time.strftime("%Y-%m-%d")}
    )


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=FIXTURES, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _write(place: str | Path, answer: Any) -> None:
    Path(place).write_text(json.dumps(answer, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew() if "--answers" in sys.argv[1:] else make()
