"""Files of links and reports are written as an earlier linnet wrote them, and those that it wrote can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.compatibility.answers import (
    EVALUATED,
    differences,
    evaluated,
    figures,
    linnet,
    read_answers,
    written,
)

# Not "sssom": earlier files of mappings were invalid (no curie_map, no mapping_set_id, a licence that nobody chose).
FORMATS = [
    "bioc",
    "biocjson",
    "brat",
    "conll",
    "csv",
    "jsonl",
    "mentions",
    "parquet",
    "pubtator",
    "table",
    "texoo",
    "text",
    "tsv",
]


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_of_links_says_the_same(format: str, at_home: Path, tmp_path: Path) -> None:
    [old] = [
        path
        for path in Path("links").glob(f"{format}*")
        if path.stem == format and "manifest" not in path.name
    ]
    new = tmp_path / old.name
    linnet("link", "dev.pubtator", "--mentions", "-t", "diseases", "--format", format, "-o", str(new))
    assert list(differences(_undated(written(old)), _undated(written(new)))) == []
    manifests = [json.loads(Path(f"{path}.manifest.json").read_text("utf-8")) for path in (old, new)]
    for manifest in manifests:
        for key in ("started", "seconds", "packages", "platform", "python", "linnet"):
            del manifest[key]
        del manifest["flags"]["output"]
    assert list(differences(*manifests)) == []


def test_a_column_of_a_table_is_linked_the_same(at_home: Path, tmp_path: Path) -> None:
    linnet("link", "names.csv", "--column", "disease", "-t", "diseases", "-o", str(tmp_path / "names.csv"))
    assert list(differences(written(Path("links/names.csv")), written(tmp_path / "names.csv"))) == []


def test_a_report_holds_the_same_figures(at_home: Path, tmp_path: Path) -> None:
    linnet(
        "evaluate", "dev.pubtator", "-t", "diseases", "--train-corpus", "train.pubtator", "--retriever", "exact,char",
        "--reranker", "models/listwise", "-o", str(tmp_path / "report"),
    )  # fmt: skip
    assert list(differences(figures(at_home / "report"), figures(tmp_path / "report"))) == []


@pytest.mark.parametrize("name", EVALUATED)
def test_links_of_an_earlier_linnet_can_be_evaluated(name: str, at_home: Path, tmp_path: Path) -> None:
    assert list(differences(read_answers("evaluations")[name], evaluated(name, tmp_path / "report"))) == []


def _undated(value: Any) -> Any:
    """Without the day on which a BioC collection or a mapping was written."""
    if isinstance(value, list) and value and isinstance(value[0], str):
        return [line for line in value if "date" not in line]
    return value
