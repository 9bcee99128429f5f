"""The loop: learning rates, evaluation, stopping, and what happens when something goes wrong."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet.errors import DamagedError, RequestError, TrainingError  # noqa: E402
from linnet.train.checkpoint import read_checkpoint, write_checkpoint  # noqa: E402
from linnet.train.device import device_of, mixed_precision, multiplies_bf16_fast  # noqa: E402
from linnet.train.loop import BEST, CSV, LAST, PICTURE, Progress, Trained, rate, train  # noqa: E402
from linnet.train.run import read_run  # noqa: E402
from linnet.train.task import LoopSettings  # noqa: E402

Linear = Callable[..., Path]


class Heard(Progress):
    """Remembers what it was told."""

    def __init__(self, at: Mapping[int, Callable[[], None]] | None = None) -> None:
        self.at = at or {}
        self.messages: list[str] = []
        self.losses: list[float] = []

    def stepped(self, step: int, loss: float) -> None:
        self.losses.append(loss)
        if step in self.at:
            self.at[step]()

    def notify(self, message: str) -> None:
        self.messages.append(message)


def trained(run_file: Path, folder: Path, *, progress: Any = None, **changes: Any) -> tuple[Any, Trained]:
    settings, kind = read_run(run_file)
    folder.mkdir(exist_ok=True)
    torch.manual_seed(0)
    task = kind.prepare(settings)
    for name, value in changes.items():
        setattr(task, name, value)
    return task, train(task, settings.loop, folder, progress=progress)


def test_the_learning_rate_rises_and_falls() -> None:
    def rates(**keys: Any) -> list[float]:
        settings = LoopSettings(steps=6, **keys)
        return [round(rate(step, settings), 3) for step in range(6)]

    assert rates(schedule="constant") == [1, 1, 1, 1, 1, 1]
    assert rates(schedule="linear", warm_up=2) == [0.333, 0.667, 1, 0.75, 0.5, 0.25]
    assert rates(schedule="cosine", warm_up=1) == [0.5, 1, 0.905, 0.655, 0.345, 0.095]
    assert rates(schedule="linear", warm_up=6)[-1] == pytest.approx(0.857)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("steps", 0),
        ("evaluate_every", 0),
        ("patience", 0),
        ("warm_up", 11),
        ("warm_up", -1),
        ("clip", 0.0),
        ("passes", 0.0),
        ("checkpoint_minutes", 0.0),
    ],
)
def test_settings_that_make_no_sense_are_refused(key: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"'{key}' is {value}"):
        LoopSettings(**{"steps": 10, key: value})  # type: ignore[arg-type]


def test_passes_become_steps() -> None:
    settings = LoopSettings(passes=0.25, warm_up=30, schedule="cosine")
    assert settings.counted(1001) == LoopSettings(steps=250, warm_up=30, schedule="cosine")
    assert LoopSettings(steps=7).counted(1001) == LoopSettings(steps=7)
    with pytest.raises(RequestError, match=r"'loop.warm_up' is 30, but the run has only 10 steps"):
        settings.counted(40)


def test_it_learns_and_ends_with_the_best_weights(linear: Linear, tmp_path: Path) -> None:
    task, done = trained(linear(loop={"steps": 60, "warm_up": 5}), tmp_path / "f")
    assert done.ending == "steps"
    assert [row["step"] for row in done.rows] == [0, 10, 20, 30, 40, 50, 60]
    fits = {row["step"]: row["fit"] for row in done.rows}
    assert done.best_step == max(fits, key=fits.__getitem__)
    with torch.no_grad():
        assert task.evaluate()["fit"] == done.scores["fit"]
    assert fits[60] > 5 * fits[0]
    assert "loss" not in done.rows[0]
    assert {file.name for file in (tmp_path / "f").iterdir()} == {LAST, BEST, CSV, PICTURE}


def test_rows_hold_the_mean_loss_since_the_row_before(linear: Linear, tmp_path: Path) -> None:
    heard = Heard()
    _, done = trained(linear(loop={"steps": 20}), tmp_path / "f", progress=heard)
    assert done.rows[2]["loss"] == pytest.approx(sum(heard.losses[10:]) / 10)


def test_patience_ends_a_run_that_gets_no_better(linear: Linear, tmp_path: Path) -> None:
    scores = iter([0.1, 0.5, 0.4, float("nan"), 0.3, 0.9])
    task, done = trained(
        linear(loop={"steps": 100, "patience": 3}),
        tmp_path / "f",
        evaluate=lambda: {"acc": next(scores)},
    )
    assert (done.ending, done.step, done.best_step) == ("patience", 40, 10)
    assert done.scores == {"acc": 0.5}
    best = read_checkpoint(tmp_path / "f" / BEST)["module"]
    assert all(torch.equal(best[name], value) for name, value in task.module.state_dict().items())


def test_checkpoints_come_when_asked_for_and_with_new_best_weights(linear: Linear, tmp_path: Path) -> None:
    scores = iter([0.1, 0.5, 0.4, 0.3])
    saved: list[int] = []

    def note() -> None:
        saved.append(read_checkpoint(tmp_path / "f" / LAST)["progress"]["step"])

    heard = Heard(dict.fromkeys((1, 11, 19, 21, 29), note))
    loop = {"steps": 30, "checkpoint_every": 9}
    trained(linear(loop=loop), tmp_path / "f", progress=heard, evaluate=lambda: {"acc": next(scores)})
    assert saved == [0, 10, 18, 18, 27]


def test_best_weights_of_another_step_are_not_taken_for_the_best(linear: Linear, tmp_path: Path) -> None:
    scores = iter([0.1, 0.5, 0.4, 0.3])

    def replace() -> None:
        write_checkpoint(tmp_path / "f" / BEST, {"step": 7, "module": {}})

    with pytest.raises(DamagedError, match=r"is of step 7; expected 10"):
        trained(
            linear(loop={"steps": 30}),
            tmp_path / "f",
            progress=Heard({25: replace}),
            evaluate=lambda: {"acc": next(scores)},
        )


def test_without_development_data_the_last_weights_count(linear: Linear, tmp_path: Path) -> None:
    task, done = trained(linear(loop={"patience": 1}), tmp_path / "f", evaluate=dict)
    assert (done.ending, done.step, done.best_step, done.scores) == ("steps", 40, None, {})
    last = read_checkpoint(tmp_path / "f" / LAST)["module"]
    assert all(torch.equal(last[name], value) for name, value in task.module.state_dict().items())
    assert not (tmp_path / "f" / BEST).exists()


@pytest.mark.parametrize(("trouble", "what"), [("loss", "loss"), ("gradient", "gradient")])
def test_a_loss_or_gradient_that_is_not_finite_ends_the_run(
    linear: Linear, tmp_path: Path, trouble: str, what: str
) -> None:
    with pytest.raises(
        TrainingError, match=rf"The {what} is not finite.*after 13 steps.*is kept.*learning rate"
    ):
        trained(linear(trouble=trouble, trouble_at=13), tmp_path / "f")
    kept = read_checkpoint(tmp_path / "f" / LAST)
    assert kept["progress"]["step"] == 10
    assert all(bool(torch.isfinite(value).all()) for value in kept["module"].values())


def test_weights_that_are_not_finite_are_not_saved(linear: Linear, tmp_path: Path) -> None:
    settings, kind = read_run(linear(loop={"evaluate_every": 5, "steps": 20}))
    task = kind.prepare(settings)
    (tmp_path / "f").mkdir()

    def spoil() -> None:
        with torch.no_grad():
            next(task.module.parameters()).fill_(float("nan"))

    with pytest.raises(TrainingError, match=r"weight '1.weight' is not finite"):
        train(task, settings.loop, tmp_path / "f", progress=Heard({10: spoil}))
    assert read_checkpoint(tmp_path / "f" / LAST)["progress"]["step"] == 5


@pytest.mark.parametrize("trouble", ["memory", "allocator"])
def test_short_memory_is_answered_with_the_setting_to_lower(
    linear: Linear, tmp_path: Path, trouble: str
) -> None:
    with pytest.raises(
        TrainingError, match=r"Out of memory after 5 steps\. Lower batch in the run file.*is kept"
    ):
        trained(linear(trouble=trouble), tmp_path / "f")


def test_other_errors_are_passed_on(linear: Linear, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="shapes do not match"):
        trained(linear(trouble="bug"), tmp_path / "f")


@pytest.mark.parametrize(
    ("number", "ending"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")]
)
def test_a_signal_saves_and_stops(
    linear: Linear, tmp_path: Path, number: signal.Signals, ending: str
) -> None:
    before = signal.getsignal(number)
    heard = Heard({13: lambda: os.kill(os.getpid(), number)})
    _, done = trained(linear(), tmp_path / "f", progress=heard)
    assert (done.ending, done.step) == (ending, 13)
    assert read_checkpoint(tmp_path / "f" / LAST)["progress"]["step"] == 13
    assert signal.getsignal(number) is before


def test_a_second_interrupt_stops_at_once(linear: Linear, tmp_path: Path) -> None:
    def twice() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        trained(linear(), tmp_path / "f", progress=Heard({13: twice}))
    assert read_checkpoint(tmp_path / "f" / LAST)["progress"]["step"] == 10


def test_a_gpu_that_is_not_there_is_not_replaced_silently(
    linear: Linear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(RequestError, match=r"loop.device is 'cuda', but PyTorch finds no GPU"):
        device_of(LoopSettings(device="cuda"))


@pytest.mark.parametrize(
    ("precision", "advice"), [("bf16", "for GPUs and CPUs that multiply bf16 fast."), ("fp16", "for GPUs.")]
)
def test_a_cpu_without_fast_arithmetic_for_a_precision_says_so(
    linear: Linear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str, advice: str
) -> None:
    monkeypatch.setattr("linnet.train.device.multiplies_bf16_fast", lambda: False)
    heard = Heard()
    loop = {"precision": precision, "steps": 1, "device": "cpu"}
    trained(linear(loop=loop), tmp_path / "f", progress=heard)
    assert heard.messages == [f"Training on this CPU in fp32; loop.precision = '{precision}' is {advice}"]


def test_a_cpu_with_fast_arithmetic_computes_in_bf16(
    linear: Linear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = []
    for units in (False, True):
        monkeypatch.setattr("linnet.train.device.multiplies_bf16_fast", lambda units=units: units)
        heard = Heard()
        loop = {"precision": "bf16", "steps": 3, "device": "cpu"}
        task, _ = trained(linear(loop=loop), tmp_path / f"f{units}", progress=heard)
        assert (heard.messages == []) == units
        assert {weights.dtype for weights in task.module.parameters()} == {torch.float32}
        losses.append(heard.losses)
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], rel=0.05)
    assert mixed_precision(LoopSettings(precision="fp16"), torch.device("cpu")) is None


@pytest.mark.parametrize(
    ("amx", "capabilities", "fast"),
    [
        (True, {"cpu_name": "Intel"}, True),
        (False, {"cpu_name": "AMD Zen 5", "avx512_bf16": True}, True),
        (False, {"cpu_name": "AMD Zen 3", "avx512_bf16": False}, False),
        (False, {"cpu_name": "Intel", "avx512_bf16": True}, False),
        (False, {}, False),
    ],
)
def test_bf16_is_fast_with_amx_or_on_amd(
    monkeypatch: pytest.MonkeyPatch, amx: bool, capabilities: dict[str, object], fast: bool
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx, raising=False)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities, raising=False)
    assert multiplies_bf16_fast() is fast


def test_bf16_is_not_fast_for_a_pytorch_that_cannot_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_is_amx_tile_supported", "get_capabilities"):
        monkeypatch.delattr(torch.cpu, name, raising=False)
    assert not multiplies_bf16_fast()


def test_checkpoints_come_after_minutes(
    linear: Linear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("linnet.train.loop.perf_counter", lambda: now[0])
    saved: list[int] = []

    def later(seconds: float) -> Callable[[], None]:
        def wait() -> None:
            now[0] += seconds
            saved.append(read_checkpoint(tmp_path / "f" / LAST)["progress"]["step"])

        return wait

    loop = {"steps": 20, "evaluate_every": 10, "checkpoint_minutes": 2.0}
    heard = Heard({4: later(119), 5: later(1), 6: later(0), 13: later(120), 14: later(0)})
    scores = iter([0.5, 0.4, 0.3])
    trained(linear(loop=loop), tmp_path / "f", progress=heard, evaluate=lambda: {"acc": next(scores)})
    assert saved == [0, 0, 5, 5, 13]
    assert read_checkpoint(tmp_path / "f" / LAST)["progress"]["step"] == 20


def test_checkpoints_may_lie_elsewhere(linear: Linear, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    trained(linear(loop={"checkpoints": "disk"}), tmp_path / "f")
    assert {file.name for file in (tmp_path / "disk" / "f").iterdir()} == {LAST, BEST}
    assert {file.name for file in (tmp_path / "f").iterdir()} == {CSV, PICTURE}


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_it_learns_on_a_gpu(linear: Linear, tmp_path: Path, precision: str) -> None:
    settings, kind = read_run(linear(loop={"steps": 60, "precision": precision}))
    task: Any = kind.prepare(settings)
    task.letters, task.lengths, task.seen = task.letters.cuda(), task.lengths.cuda(), task.seen.cuda()
    (tmp_path / "f").mkdir()
    done = train(task, settings.loop, tmp_path / "f")
    assert done.rows[-1]["fit"] > 5 * done.rows[0]["fit"]
