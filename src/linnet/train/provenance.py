"""What a run was made from and on: enough to repeat it, and to see why a repetition differs."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from linnet import __version__
from linnet.cores import cores

__all__ = ["hardware", "packages"]

# Packages whose version can change what is learnt.
_PACKAGES = (
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "scikit-learn",
    "onnx",
    "onnxruntime",
)


def packages() -> dict[str, str]:
    """Versions of linnet, Python and the packages that training rests on; those not installed are left out."""
    found = {"linnet": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def hardware(device: torch.device) -> dict[str, Any]:
    """Processor, cores, threads, and the GPU where it is used; memory in bytes."""
    found: dict[str, Any] = {
        "cpu": _processor(),
        "cores": cores(),
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "device": device.type,
    }
    if hasattr(os, "sysconf"):
        found["memory"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if device.type == "cuda":
        found["gpu"] = torch.cuda.get_device_name(device)
        found["gpu_memory"] = torch.cuda.get_device_properties(device).total_memory
        found["cuda"] = torch.version.cuda
    return found


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
