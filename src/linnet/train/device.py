"""Where a run computes, and in which precision."""

from __future__ import annotations

import torch

from linnet.errors import RequestError
from linnet.train.task import LoopSettings

__all__ = ["device_of", "mixed_precision"]

_MIXED = {"bf16": torch.bfloat16, "fp16": torch.float16}


def device_of(settings: LoopSettings) -> torch.device:
    """The device to train on. Raises RequestError where the settings ask for a missing GPU, or for bf16 without support."""
    gpu = torch.cuda.is_available()
    if settings.device == "cuda" and not gpu:
        raise RequestError(
            "loop.device is 'cuda', but PyTorch finds no GPU. Write device = \"auto\", or install a PyTorch "
            "built for your GPU."
        )
    device = torch.device("cuda" if gpu and settings.device != "cpu" else "cpu")
    if device.type == "cuda" and settings.precision == "bf16" and not torch.cuda.is_bf16_supported():
        raise RequestError(
            "loop.precision is 'bf16', which this GPU does not support. Write precision = \"fp16\"."
        )
    return device


def mixed_precision(settings: LoopSettings, device: torch.device) -> torch.dtype | None:
    """The type of matrix products; None for fp32, also where a CPU has no fast arithmetic for the type asked for."""
    wanted = _MIXED.get(settings.precision)
    if device.type == "cuda" or (wanted is torch.bfloat16 and _has_matrix_units()):
        return wanted
    return None


def _has_matrix_units() -> bool:
    """Whether the CPU has AMX, which multiplies bf16 matrices eight to ten times as fast as fp32.

    The bf16 instructions of AVX-512 alone are slower than fp32: 110 against 162 GFLOP/s, emulated ones 38 (oneDNN 3.12,
    1024 × 384 by 384 × 1536, one core).
    """
    supported = getattr(torch.cpu, "_is_amx_tile_supported", None)
    return bool(supported and supported())
