"""linnet where Unix's own modules and calls are missing, as on Windows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# What Windows does not have, taken away before anything is imported.
WITHOUT_UNIX = """
import asyncio, mmap, platformdirs, multiprocessing.connection, os, signal, subprocess, sys  # these ask for msvcrt themselves
from types import SimpleNamespace
sys.modules["msvcrt"] = SimpleNamespace(locking=lambda *_: None, LK_NBLCK=2)
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for module, names in (
    (os, ("pread", "posix_fadvise", "posix_fallocate", "sched_getaffinity", "nice", "sysconf", "geteuid", "getuid")),
    (mmap, ("MADV_DONTNEED", "MADV_HUGEPAGE", "MADV_WILLNEED", "PROT_READ")),
    (signal, ("SIGHUP", "SIGKILL", "SIGUSR1")),
):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
"""
IMPORT_ALL = """
import pkgutil, importlib, traceback, linnet
failed = []
for module in pkgutil.walk_packages(linnet.__path__, "linnet."):
    if ".migrations." in module.name or module.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(module.name)
    except (AttributeError, ImportError) as error:
        frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        last = [name for name in frames if "importlib" not in name][-1]
        if last.startswith(linnet.__path__[0]):  # not another package's own choice
            failed.append(f"{module.name}: {error}")
print(*failed, sep="\\n")
"""
LINK = """
import linnet
linker = linnet.starter()
print(*linker.link(["heart attack"])[0].concepts)
print(*(mention.text for mention in linker.annotate("Aspirin for leukaemia.").mentions))
"""


def run(code: str, cache: Path) -> str:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX + code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_everything_can_be_imported(tmp_path: Path) -> None:
    assert run(IMPORT_ALL, tmp_path).strip() == ""


def test_the_default_pipeline_is_built_and_links(tmp_path: Path) -> None:
    assert run(LINK, tmp_path).splitlines() == ["MESH:D009203", "Aspirin leukaemia"]
