"""Columns of concepts for data frames: rows, order and index kept, what is missing stays missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from linnet import Link, Mention, load
from linnet.errors import DataError, RequestError, StoreError, UnknownNameError
from linnet.integrations.frames import columns, link_frame
from linnet.link import Linker

NAMES = ["gout", None, "breast and ovarian cancer", "blorf", " ", "gout"]

Make = Callable[[dict[str, Any]], Any]
MAKERS: dict[str, Make] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.fixture(scope="module")
def linker(terminology: Path) -> Linker:
    return load(terminology)


@pytest.fixture(params=sorted(MAKERS))
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a frame of each library from columns."""
    return MAKERS[request.param]


def _plain(frame: Any) -> dict[str, list[Any]]:
    """The columns as lists, whatever the library, None for missing."""
    if isinstance(frame, pd.DataFrame):
        kept = frame.astype(object).where(frame.notna(), None)
        lists = {name: kept[name].tolist() for name in frame.columns}
        return {name: [list(one) if isinstance(one, tuple) else one for one in lists[name]] for name in lists}
    if isinstance(frame, pl.DataFrame):
        return frame.to_dict(as_series=False)
    return frame.to_pydict()  # type: ignore[no-any-return]


def test_each_row_gets_its_concepts_in_place(make: Make, linker: Linker) -> None:
    frame = make({"nr": [1, 2, 3, 4, 5, 6], "disease": NAMES})
    linked = link_frame(frame, "disease", linker)
    assert type(linked) is type(frame)
    found = _plain(linked)
    assert list(found) == [
        "nr",
        "disease",
        "linked_concept",
        "linked_concepts",
        "linked_name",
        "linked_probability",
    ]
    assert (found["nr"], found["disease"]) == ([1, 2, 3, 4, 5, 6], NAMES)
    assert found["linked_concept"] == ["T:4", None, "T:2", None, None, "T:4"]
    assert found["linked_concepts"] == [["T:4"], None, ["T:2", "T:3"], [], None, ["T:4"]]
    assert found["linked_name"] == ["Gout", None, "Breast Neoplasms", None, None, "Gout"]
    [gout, composite] = linker.link(["gout", "breast and ovarian cancer"])
    assert found["linked_probability"] == [
        gout.probability,
        None,
        composite.probability,
        None,
        None,
        gout.probability,
    ]


def test_nil_that_an_override_decides_says_so(make: Make, terminology: Path, tmp_path: Path) -> None:
    (tmp_path / "overrides.tsv").write_text("gout\t*\tforbid\n")
    linker = load(terminology, overrides=tmp_path / "overrides.tsv")
    frame = make({"disease": ["gout", "blorf"]})
    linked = _plain(link_frame(frame, "disease", linker, add=["concept", "probability", "origin"]))
    assert linked["linked_concept"] == [None, None]
    assert linked["linked_probability"] == [1.0, None]
    assert linked["linked_origin"][0] == "override"


def test_the_given_frame_is_not_changed(make: Make, linker: Linker) -> None:
    frame = make({"disease": NAMES})
    link_frame(frame, "disease", linker)
    assert list(_plain(frame)) == ["disease"]


def test_what_is_added_can_be_chosen_and_named(make: Make, linker: Linker) -> None:
    linked = link_frame(make({"d": ["podagra", None]}), "d", linker, add=tuple(columns), prefix="", k=2)
    found = _plain(linked)
    assert list(found) == ["d", *columns]
    assert (found["matched"], found["origin"], found["score"]) == (
        ["podagra", None],
        ["exact", None],
        [1, None],
    )
    first, missing = found["candidates"]
    assert missing is None
    assert [one["concept"] for one in first] == [
        one.concept for one in linker.link(["podagra"], k=2)[0].candidates
    ]


def test_rows_of_a_document_share_its_abbreviations(make: Make, linker: Linker) -> None:
    frame = make(
        {
            "text": ["AT", "AT", "AT"],
            "before": ["", "in ataxia telangiectasia (", ""],
            "after": ["", ") patients", ""],
            "doc": [7, 7, 8],
            "kind": ["Disease", None, "Disease"],
        }
    )
    linked = link_frame(
        frame, "text", linker, left="before", right="after", document="doc", type="kind", add=["origin"]
    )
    origins = _plain(linked)["linked_origin"]
    assert ["abbreviation" in one for one in origins] == [True, True, False]


def test_equal_mentions_are_linked_once(terminology: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linker = load(terminology)
    asked: list[str] = []
    link = linker.link

    def watched(mentions: list[Mention], *, k: int) -> list[Link]:
        asked.extend(mention.text for mention in mentions)
        return link(mentions, k=k)

    monkeypatch.setattr(linker, "link", watched)
    link_frame(pd.DataFrame({"d": [*NAMES, "gout "] * 50}), "d", linker)
    assert asked == ["gout", "breast and ovarian cancer", "blorf"]


def test_any_index_and_kind_of_text_is_kept(linker: Linker) -> None:
    index = pd.Index(["a", "a", "b"], name="patient")
    frame = pd.DataFrame({"d": pd.Categorical(["gout", None, "aspirin"])}, index=index)
    linked = link_frame(frame, "d", linker)
    pd.testing.assert_index_equal(linked.index, index)
    assert linked["linked_concept"].isna().tolist() == [False, True, False]
    assert linked.loc["b", "linked_concept"] == "T:5"
    assert linked["linked_probability"].dtype == "float64"
    for kind in ("object", "string"):
        other = pd.DataFrame({"d": pd.Series(["gout", None], dtype=kind)})
        assert link_frame(other, "d", linker)["linked_concept"].isna().tolist() == [False, True]
    lazy = pl.DataFrame({"d": ["gout", None]}, schema={"d": pl.Categorical})
    assert link_frame(lazy, "d", linker)["linked_concept"].to_list() == ["T:4", None]


def test_no_rows_give_no_rows_with_the_same_columns(make: Make, linker: Linker) -> None:
    some = link_frame(make({"d": ["gout"]}), "d", linker)
    schema = pa.schema({"d": pa.string()})
    empty = {
        "DataFrame": pd.DataFrame({"d": pd.Series([], dtype="str")})
        if isinstance(some, pd.DataFrame)
        else pl.DataFrame(schema={"d": pl.String}),
        "Table": pa.table({"d": []}, schema=schema),
    }[type(some).__name__]
    none = link_frame(empty, "d", linker)
    assert len(none) == 0
    assert list(_plain(none)) == list(_plain(some))


def test_one_column_may_be_named_alone_and_is_added_once(make: Make, linker: Linker) -> None:
    frame = make({"d": ["gout"]})
    for add in ("concept", ["concept", "concept"]):
        assert list(_plain(link_frame(frame, "d", linker, add=add))) == ["d", "linked_concept"]


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pl.LazyFrame({"d": ["gout"]}), r"frame\.collect\(\)"),
        (pd.Series(["gout"]), r"to_frame"),
        (pa.record_batch({"d": ["gout"]}), r"Table\.from_batches"),
        ([{"d": "gout"}], r"A builtins\.list cannot be linked"),
    ],
)
def test_what_is_no_frame_is_refused_with_what_to_give(frame: Any, says: str, linker: Linker) -> None:
    with pytest.raises(RequestError, match=says):
        link_frame(frame, "d", linker)


@pytest.mark.parametrize(
    ("column", "options", "error", "says"),
    [
        ("disaese", {}, RequestError, "Did you mean 'disease'.*Columns: nr, disease"),
        ("nr", {}, DataError, r"row 0 \(counted from 0\) of column 'nr' holds 1"),
        ("disease", {"left": "before"}, RequestError, "no column 'before'"),
        ("disease", {"add": ["concpt"]}, UnknownNameError, "Did you mean 'concept'"),
        ("disease", {"add": "concpt"}, UnknownNameError, "column to add 'concpt'"),
        ("disease", {"k": 0}, RequestError, "k is 0"),
        ("disease", {"k": True}, RequestError, "k is True"),
        (
            "disease",
            {"add": ["name"], "prefix": "linked_"},
            RequestError,
            "already has a column 'linked_name'",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(
    make: Make, linker: Linker, column: str, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    data = {"nr": [1, 2], "disease": ["gout", None]}
    if "prefix" in options:
        data["linked_name"] = ["", ""]
    with pytest.raises(error, match=says):
        link_frame(make(data), column, linker, **options)


def test_a_terminology_is_named_by_path_or_paths(terminology: Path, tmp_path: Path) -> None:
    frame = pd.DataFrame({"d": ["gout"]})
    for named in (terminology, str(terminology), [terminology]):
        assert link_frame(frame, "d", named)["linked_concept"].tolist() == ["T:4"]
    with pytest.raises(StoreError, match=r"linnet\.build"):
        link_frame(frame, "d", tmp_path / "nowhere")
    with pytest.raises(RequestError, match="No terminology"):
        link_frame(frame, "d", [])


def test_two_columns_of_one_name_are_refused(linker: Linker) -> None:
    frame = pd.DataFrame([["gout", "gout"]], columns=["d", "d"])
    with pytest.raises(RequestError, match="several columns 'd'"):
        link_frame(frame, "d", linker)
