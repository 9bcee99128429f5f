"""How linnet was installed, which decides the command that adds an extra."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["clone", "install_command"]

_PACKAGE = Path(__file__).resolve().parent


def clone() -> Path | None:
    """The source checkout that linnet runs from; None for an installed wheel."""
    folder = _PACKAGE.parents[1]
    return folder if _PACKAGE.parent.name == "src" and (folder / "pyproject.toml").is_file() else None


def install_command(extra: str) -> str:
    """The command that adds an extra, from the clone, wheel or address that linnet was installed from.

    linnet is not on a package index, so `pip install linnet` alone would find nothing.
    """
    folder = clone()
    if folder is not None:
        place = "." if folder == Path(os.path.realpath(".")) else str(folder)
        return f"pip install -e {_quoted(f'{place}[{extra}]')}"
    origin = _origin()
    return f"pip install {_quoted(f'linnet[{extra}] @ {origin}' if origin else f'linnet[{extra}]')}"


def _origin() -> str:
    """The address that the installer recorded (PEP 610, direct_url.json); "" for none."""
    # Importing these takes longer than the rest of `import linnet`.
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        record = json.loads(distribution("linnet").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    address, version_control = str(record.get("url", "")), record.get("vcs_info")
    if version_control:
        return f"{version_control['vcs']}+{address}@{version_control['commit_id']}"
    return address


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text) if "'" in text else f"'{text}'"
