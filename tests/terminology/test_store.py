"""A compiled terminology: what was written is read back, looked up, selected, and refused when damaged."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, MismatchError, RequestError, StoreError, UnknownIdError
from linnet.io import artifact
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

CONCEPTS = [
    Concept("X:1", "disease", types=("T1",), sources=("S1",)),
    Concept(
        "X:2",
        "common cold",
        ("cold", "rhume"),
        ("T1", "T2"),
        "A catarrh.",
        ("X:1",),
        ("Y:2",),
        ("S1", "S2"),
    ),
    Concept("X:3", "ατροφία", types=("T2",), parents=("X:1", "X:2"), sources=("S2",)),
    Concept("X:8", "", replaced_by=("X:2", "X:3")),
    Concept("X:9", "", replaced_by=("X:2",)),
]


@pytest.fixture
def store(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "store")


def test_every_concept_is_read_back_as_it_was(store: Terminology) -> None:
    assert list(store) == CONCEPTS
    assert len(store) == 3
    assert len(store.names) == 5


def test_ids_are_found_and_retired_ones_lead_to_the_current(store: Terminology) -> None:
    assert [store.row(id) for id in ("X:1", "X:3", "X:9", "X:", "X:33", "")] == [0, 2, -1, -1, -1, -1]
    assert store.resolve("X:2") == ("X:2",)
    assert store.resolve("X:8") == ("X:2", "X:3")
    assert store.resolve("Q:1") == ()


def test_a_concepts_parts_are_read_by_row(store: Terminology) -> None:
    assert store.name(1) == "common cold"
    assert list(store.name_rows(1)) == [1, 2, 3]
    assert list(store.name_rows(2)) == [4]
    assert store.parents(2).tolist() == [0, 1]
    assert store.children(0).tolist() == [1, 2]
    assert store.xrefs(1) == ("Y:2",)
    assert store.preferred.tolist() == [True, True, False, False, True]
    assert (store.type_names, store.source_names) == (["T1", "T2"], ["S1", "S2"])


def test_selection_by_type_source_and_lists_of_ids(store: Terminology) -> None:
    assert store.select() is None
    for asked, expected in [
        ({"types": ["t2"]}, [False, True, True]),
        ({"sources": ["S1"]}, [True, True, False]),
        ({"types": ["T2"], "sources": ["S1"]}, [False, True, False]),
        ({"allow": ["X:1", "X:9", "Q:1"]}, [True, True, False]),
        ({"deny": ["X:8"]}, [True, False, False]),
        ({"allow": ["X:1", "X:2"], "deny": iter(["X:1"])}, [False, True, False]),
    ]:
        mask = store.select(**asked)  # type: ignore[arg-type]
        assert mask is not None
        assert mask.tolist() == expected


def test_a_selection_that_means_nothing_is_refused(store: Terminology) -> None:
    with pytest.raises(RequestError, match=r"no type 'T3'.*T1, T2"):
        store.select(types=["T3"])
    with pytest.raises(RequestError, match="no source 'S3'"):
        store.select(sources=["S1", "S3"])
    with pytest.raises(RequestError, match="no concept is left"):
        store.select(allow=["Q:1"])


def test_threads_and_processes_share_a_store(store: Terminology) -> None:
    copy = pickle.loads(pickle.dumps(store))
    assert list(copy) == CONCEPTS
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: list(store), range(8))) == [CONCEPTS] * 8


def test_what_is_no_terminology_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such directory", check=advises(Step.BUILD_TERMINOLOGY)):
        Terminology.open(tmp_path / "gone")
    with pytest.raises(StoreError, match=r"has no terminology\.json"):
        Terminology.open(tmp_path)


def test_another_format_version_is_refused(store: Terminology) -> None:
    manifest = store.path / "terminology.json"
    manifest.write_text(artifact.as_manifest({**json.loads(manifest.read_text()), "format": 99}))
    with pytest.raises(MismatchError, match="format 99"):
        Terminology.open(store.path)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
def test_any_flipped_bit_in_any_file_is_noticed(store: Terminology, data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(store.path.glob("*.arrow"))))
    content = file.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    flipped = bytes([content[place] ^ (1 << data.draw(st.integers(0, 7)))])
    try:
        file.write_bytes(content[:place] + flipped + content[place + 1 :])
        with pytest.raises(DamagedError, match=rf"{file.name} was altered"):
            Terminology.open(store.path)
    finally:
        file.write_bytes(content)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"files": []}', "\xff"])
def test_a_damaged_manifest_is_refused(store: Terminology, content: str) -> None:
    (store.path / "terminology.json").write_text(content, encoding="latin-1")
    with pytest.raises(DamagedError, match=r"terminology\.json"):
        Terminology.open(store.path)


# Names as sources write them, and worse.
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda text: bool(text.split()))  # fmt: skip


@given(
    st.dictionaries(
        st.text("ABCé:0123456789", min_size=1, max_size=6),
        st.lists(TEXTS, min_size=1, max_size=4),
        min_size=1,
    )
)
@settings(max_examples=40, deadline=None)
def test_all_ids_and_names_survive_in_order(
    tmp_path_factory: pytest.TempPathFactory, named: dict[str, list[str]]
) -> None:
    concepts = [Concept(id, names[0], tuple(names[1:])) for id, names in named.items()]
    store = write_terminology(concepts, tmp_path_factory.mktemp("any") / "store")
    assert list(store.ids.array.to_pylist()) == sorted(named)
    for id, names in named.items():
        row = store.row(id)
        assert store.ids[row] == id
        kept = store.names.take(store.name_rows(row))
        assert kept[0] == " ".join(names[0].split())
        assert set(kept) <= {" ".join(name.split()) for name in names}


def test_equal_content_has_an_equal_digest_and_any_change_another(tmp_path: Path) -> None:
    def digest(concepts: list[Concept]) -> str:
        return write_terminology(concepts, tmp_path / "store").digest

    first = digest(CONCEPTS)
    assert digest(CONCEPTS[::-1]) == first
    for changed in (
        replace(CONCEPTS[1], name="Common cold"),
        replace(CONCEPTS[1], definition=""),
        replace(CONCEPTS[1], parents=()),
        replace(CONCEPTS[1], types=("T1",)),
        replace(CONCEPTS[1], xrefs=()),
    ):
        assert digest([CONCEPTS[0], changed, *CONCEPTS[2:]]) != first
    assert digest(CONCEPTS[:-1]) != first


def test_an_open_terminology_stays_the_release_that_was_opened(tmp_path: Path) -> None:
    def release(*numbers: int) -> list[Concept]:
        return [
            *(
                Concept(
                    f"X:{number}",
                    f"cold {number}",
                    definition=f"of {number}",
                    parents=("X:5",) if number < 5 else (),
                    xrefs=(f"Y:{number}",),
                )
                for number in numbers
            ),
            Concept("X:9", "", replaced_by=(f"X:{numbers[-1]}",)),
        ]

    opened = write_terminology(release(2, 3, 5), tmp_path / "t")
    write_terminology(release(1, 3, 5, 6), tmp_path / "t")
    assert opened["X:2"] == Concept(
        "X:2", "cold 2", definition="of 2", parents=("X:5",), xrefs=("Y:2",), types=(), sources=()
    )
    assert opened.ancestors("X:3") == ["X:5"]
    assert opened.resolve("X:9") == ("X:5",)


def test_what_is_no_string_is_neither_an_id_nor_a_search(tmp_path: Path) -> None:
    store = write_terminology([Concept("X:1", "cold")], tmp_path / "t")
    with pytest.raises(UnknownIdError, match=r"An id is a string, e\.g\. 'X:1'; got 5"):
        store[5]  # type: ignore[index]
    with pytest.raises(RequestError, match=r"search\(\) takes words or an id; got None"):
        store.search(None)  # type: ignore[arg-type]
