"""Checkpoints: what goes in comes out, and what is damaged is noticed."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from tests.advised import advises  # noqa: E402

from linnet.advice import Step  # noqa: E402
from linnet.errors import DamagedError, StoreError  # noqa: E402
from linnet.train.checkpoint import (  # noqa: E402
    random_state,
    read_checkpoint,
    restore_random_state,
    write_checkpoint,
)


def test_a_state_comes_back_as_it_was(tmp_path: Path) -> None:
    shared = torch.arange(6.0).reshape(2, 3)
    state = {
        "tied": [shared, shared, shared.T],
        "kinds": (
            torch.tensor(3),
            torch.zeros(0, 4),
            torch.tensor([True]),
            torch.ones(2, dtype=torch.bfloat16),
        ),
        1: {"betas": (0.9, 0.999), "none": None, "nan": float("inf"), "text": "é", "flag": False, "n": 2**60},
        "empty": {},
    }
    write_checkpoint(tmp_path / "c", state)
    back = read_checkpoint(tmp_path / "c")
    assert list(back) == ["tied", "kinds", 1, "empty"]
    assert all(torch.equal(a, b) for a, b in zip(back["tied"], state["tied"], strict=True))
    assert [(t.dtype, t.shape) for t in back["kinds"]] == [(t.dtype, t.shape) for t in state["kinds"]]
    assert back[1] == state[1]
    assert isinstance(back[1]["betas"], tuple)
    assert [file.name for file in tmp_path.iterdir()] == ["c"]


def test_an_optimiser_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    def trained(stop: int | None) -> torch.Tensor:
        weights = torch.nn.Parameter(torch.ones(3))
        optimiser = torch.optim.AdamW([weights], lr=0.1, amsgrad=True)
        for step in range(6):
            if step == stop:
                write_checkpoint(tmp_path / "c", {"o": optimiser.state_dict(), "w": weights})
                state = read_checkpoint(tmp_path / "c")
                weights = torch.nn.Parameter(state["w"])
                optimiser = torch.optim.AdamW([weights], lr=0.1, amsgrad=True)
                optimiser.load_state_dict(state["o"])
            optimiser.zero_grad()
            (weights * torch.tensor([1.0, 2.0, step])).square().sum().backward()
            optimiser.step()
        return weights.detach()

    assert torch.equal(trained(stop=None), trained(stop=3))


def test_the_generators_go_on_where_they_were(tmp_path: Path) -> None:
    def drawn() -> list[float]:
        return [
            random.gauss(0, 1),
            random.random(),
            np.random.randn(),
            np.random.rand(),
            float(torch.rand(1)),
        ]

    random.gauss(0, 1), np.random.randn()  # each leaves a second number behind
    write_checkpoint(tmp_path / "c", random_state())
    expected = drawn()
    restore_random_state(read_checkpoint(tmp_path / "c"))
    assert drawn() == expected


@pytest.mark.parametrize("place", [4, 60, -100, -3])
def test_an_altered_byte_is_noticed(tmp_path: Path, place: int) -> None:
    file = tmp_path / "c"
    write_checkpoint(file, {"weights": torch.arange(100.0), "step": 17})
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    with pytest.raises(DamagedError, match="is damaged", check=advises(Step.START_AGAIN)):
        read_checkpoint(file)


@pytest.mark.parametrize("content", [b"", b"x", b"\x08\0\0\0\0\0\0\0{}      "])
def test_what_is_not_a_checkpoint_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(DamagedError, match="is not a checkpoint"):
        read_checkpoint(tmp_path / "c")


def test_a_truncated_checkpoint_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "c"
    write_checkpoint(file, {"weights": torch.arange(100.0)})
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(DamagedError):
        read_checkpoint(file)


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="a system without limits on file sizes")
    file = tmp_path / "c"
    write_checkpoint(file, {"step": 1})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(
            StoreError,
            match=r"cannot be written.*The previous checkpoint is kept",
            check=advises(Step.RESUME),
        ):
            write_checkpoint(file, {"weights": torch.zeros(100_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert read_checkpoint(file) == {"step": 1}
    assert [found.name for found in tmp_path.iterdir()] == ["c"]


def test_what_json_and_tensors_cannot_say_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="holds no set"):
        write_checkpoint(tmp_path / "c", {"x": {1}})
