"""Software and hardware of a run: enough to repeat it, and to see why a repetition differs."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from linnet import __version__
from linnet.system.cores import cores

__all__ = ["hardware", "packages"]

# Packages whose version can change the weights.
_PACKAGES = [
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "scikit-learn",
    "onnx",
    "onnxruntime",
]


def packages() -> dict[str, str]:
    """Versions of linnet, Python and the packages that training uses; absent packages are left out."""
    versions = {"linnet": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def hardware(device: torch.device) -> dict[str, Any]:
    """Processor, cores, threads, and the GPU if it is used; memory in bytes."""
    machine: dict[str, Any] = {
        "cpu": _processor(),
        "cores": cores(),
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "device": device.type,
    }
    if hasattr(os, "sysconf"):
        machine["memory"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if device.type == "cuda":
        machine["gpu"] = torch.cuda.get_device_name(device)
        machine["gpu_memory"] = torch.cuda.get_device_properties(device).total_memory
        machine["cuda"] = torch.version.cuda
    return machine


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
