"""What a project learnt, served: its names are linked, its terminology is looked up, a new version is noticed."""

from __future__ import annotations

from pathlib import Path

from linnet.io import artifact
from linnet.link.indexing import build_indexes
from linnet.link.learned import MANIFEST, NAMES
from linnet.link.linker_config import LinkerConfig
from linnet.serve.settings import Settings
from linnet.serve.snapshot import open_snapshot, stamps_of
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept


def version(folder: Path, store: Path, name: str) -> Path:
    """What a project learnt: one name of the store's first concept."""
    terminology = Terminology.open(store)
    learned = write_terminology([Concept(terminology.ids[0], name)], folder / NAMES)
    build_indexes(learned, ("exact", "dense"))
    artifact.write_manifest(folder, MANIFEST, {"terminology": terminology.digest})
    return folder


def test_learned_names_are_linked_but_not_looked_up(store: Path, tmp_path: Path) -> None:
    folder = version(tmp_path / "v1", store, "Zorgle pox")
    plain = Settings(opening=LinkerConfig(terminologies=(str(store),), threads=1))
    settings = Settings(opening=LinkerConfig(terminologies=(str(store),), threads=1, learned=str(folder)))
    served, without = open_snapshot(settings), open_snapshot(plain)
    first = Terminology.open(store).ids[0]
    assert served.linker.link(["zorgle pox"])[0].concepts == (first,)
    assert without.linker.link(["zorgle pox"])[0].concepts != (first,)
    assert [one.path for one in served.terminologies] == [store]
    assert len(served.searches) == 1
    assert served.digest != without.digest
    assert "learned" in served.served["models"]


def test_another_version_in_its_place_is_noticed(store: Path, tmp_path: Path) -> None:
    folder = version(tmp_path / "v1", store, "Zorgle pox")
    settings = Settings(opening=LinkerConfig(terminologies=(str(store),), threads=1, learned=str(folder)))
    snapshot = open_snapshot(settings)
    assert stamps_of(settings, snapshot.linker) == snapshot.stamps
    artifact.write_manifest(folder, MANIFEST, {"terminology": Terminology.open(store).digest, "number": 2})
    assert stamps_of(settings, snapshot.linker) != snapshot.stamps
