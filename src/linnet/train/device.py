"""Where a run computes, and in which precision."""

from __future__ import annotations

from typing import Any

import torch

from linnet.errors import RequestError
from linnet.train.task import LoopSettings

__all__ = ["device_of", "mixed_precision", "multiplies_bf16_fast"]

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
    if device.type == "cuda" or (wanted is torch.bfloat16 and multiplies_bf16_fast()):
        return wanted
    return None


def multiplies_bf16_fast() -> bool:
    """Whether the CPU multiplies bf16 matrices faster than fp32: one with AMX, or one of AMD with AVX-512's bf16 instructions.

    One core, 1024 × 384 by 384 × 1536, PyTorch 2.13: AMX is eight to ten times as fast as fp32. AVX-512's instructions are
    twice as fast on Zen 5 (182 against 88 GFLOP/s; a step of a transformer of six layers 1.9 times), but slower on the
    Intel processor tried, AMX switched off (110 against 162), and slower still where they are emulated (38).
    """
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    amx = getattr(torch.cpu, "_is_amx_tile_supported", bool)
    of_amd = str(capabilities.get("cpu_name", "")).startswith("AMD")
    return bool(amx() or (of_amd and capabilities.get("avx512_bf16")))
