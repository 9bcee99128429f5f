"""Checkpoints: one file each, complete or absent; damage is noticed on reading. No pickle.

A checkpoint is a safetensors file with numbered tensors. Its metadata are `tree`, the nested state as JSON with numbers in
place of tensors, and `digest`, of the tree and the tensors' bytes.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from linnet.advice import Step
from linnet.errors import DamagedError, StoreError

__all__ = ["random_state", "read_checkpoint", "restore_random_state", "write_checkpoint"]


def write_checkpoint(path: Path, state: Any) -> None:
    """Write a state of nested dicts, lists, tuples, tensors, numbers, strings and None, replacing an earlier file.

    The new file is written beside the old one, flushed to disk and renamed. Raises StoreError where the disk refuses.
    """
    tensors: dict[str, torch.Tensor] = {}
    tree = json.dumps(_pack(state, tensors))
    draft = path.with_name(path.name + ".part")
    try:
        save_file(tensors, draft, metadata={"tree": tree, "digest": _digest(tree, tensors)})
        _to_disk(draft)
        draft.replace(path)
        _to_disk(path.parent)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        kept = "The previous checkpoint is kept" if path.exists() else "There is no earlier checkpoint"
        raise StoreError(
            f"{path}: the checkpoint cannot be written: {reason}. {kept}. Free some space.",
            Step.RESUME(),
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def read_checkpoint(path: Path) -> Any:
    """The state that `write_checkpoint` was given, its tensors on the CPU.

    Raises DamagedError where the file is truncated or altered.
    """
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        tree, expected = metadata["tree"], metadata["digest"]
    except (OSError, SafetensorError, KeyError) as error:
        raise DamagedError(
            f"{path} is damaged: it is not a checkpoint ({error}). Restore it from a copy.",
            Step.START_AGAIN(),
        ) from None
    if _digest(tree, tensors) != expected:
        raise DamagedError(
            f"{path} is damaged: its digest differs. Restore it from a copy.", Step.START_AGAIN()
        )
    return _unpack(json.loads(tree), tensors)


def random_state() -> dict[str, Any]:
    """The state of the generators of Python, NumPy and PyTorch."""
    version, words, gauss = random.getstate()
    numpy = np.random.get_state(legacy=False)
    return {
        "python": [version, list(words), gauss],
        "numpy": {**numpy, "state": {**numpy["state"], "key": numpy["state"]["key"].tolist()}},
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }


def restore_random_state(state: Mapping[str, Any]) -> None:
    """Restore the state that `random_state` returned."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    numpy = state["numpy"]
    key = np.asarray(numpy["state"]["key"], np.uint32)
    np.random.set_state({**numpy, "state": {**numpy["state"], "key": key}})
    torch.set_rng_state(state["torch"])
    if state["cuda"] and torch.cuda.device_count() == len(state["cuda"]):
        torch.cuda.set_rng_state_all(state["cuda"])


def _pack(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    """The value as JSON; containers as [kind, content], so that keys need not be strings."""
    if isinstance(value, torch.Tensor):
        name = str(len(tensors))
        # A copy: tied weights share memory, which safetensors refuses.
        tensors[name] = value.detach().to("cpu", copy=True).contiguous()
        return ["tensor", name]
    if isinstance(value, Mapping):
        return ["dict", [[_pack(key, tensors), _pack(item, tensors)] for key, item in value.items()]]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [_pack(item, tensors) for item in value]]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a checkpoint holds no {type(value).__name__}")


def _unpack(packed: Any, tensors: Mapping[str, torch.Tensor]) -> Any:
    if not isinstance(packed, list):
        return packed
    kind, content = packed
    if kind == "tensor":
        return tensors[content]
    if kind == "dict":
        return {_unpack(key, tensors): _unpack(item, tensors) for key, item in content}
    items = [_unpack(item, tensors) for item in content]
    return tuple(items) if kind == "tuple" else items


def _digest(tree: str, tensors: Mapping[str, torch.Tensor]) -> str:
    state = blake2b(tree.encode(), digest_size=16)
    for name in sorted(tensors):
        tensor = tensors[name]
        state.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        if tensor.numel():
            state.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return state.hexdigest()


def _to_disk(path: Path) -> None:
    """Flush a file to disk, or a folder's entries where the system can."""
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        if not path.is_dir():
            raise
