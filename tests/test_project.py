"""The house rules that no linter knows: floors, docstrings, documentation that is true, nothing left lying about."""

from __future__ import annotations

import ast
import gzip
import importlib
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "linnet"
MODULES = sorted(SOURCE.rglob("*.py"))
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
# Their blocks run one after the other, see test_site.py.
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


# ── code ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_module_imports_only_its_own_package_or_lower_floors() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_package_and_module_stands_on_a_floor() -> None:
    [floors, *_] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    assert floors["containers"] == ["linnet"]
    assert floors["exhaustive"] is True


def test_every_module_says_what_it_is_for() -> None:
    silent = [p for p in MODULES if not ast.get_docstring(ast.parse(p.read_text(encoding="utf-8")))]
    assert [_name(path) for path in silent] == []


@pytest.mark.parametrize("package", sorted(p.parent for p in MODULES if p.name == "__init__.py"), ids=_name)
def test_what_a_package_exports_exists(package: Path) -> None:
    module = importlib.import_module(".".join(package.relative_to(SOURCE.parent).parts))
    exported = getattr(module, "__all__", [])
    assert [name for name in exported if not hasattr(module, name)] == []
    assert len(set(exported)) == len(exported)


def test_importing_linnet_loads_nothing_heavy() -> None:
    heavy = [
        "torch",
        "transformers",
        "fastapi",
        "ray",
        "onnxruntime",
        "faiss",
        "scipy",
        "pyarrow",
        "pandas",
        "lxml",
    ]
    assert _loaded_by("import linnet", heavy) == "[]"


def test_starting_the_command_line_loads_nothing_heavy() -> None:
    heavy = [
        "torch",
        "transformers",
        "fastapi",
        "ray",
        "onnxruntime",
        "faiss",
        "scipy",
        "pyarrow",
        "numpy",
        "lxml",
    ]
    program = "import sys; sys.argv = ['linnet', '--version']\ntry:\n    from linnet.cli import main; main()\nexcept SystemExit: pass"
    assert _loaded_by(program, heavy).splitlines()[-1] == "[]"


def _loaded_by(program: str, names: list[str]) -> str:
    program = f"{program}\nimport sys\nprint([n for n in {names!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


# ── tree ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _texts() -> Iterator[tuple[str, str]]:
    """Name and content of every text file of the project."""
    kept = {
        ".py",
        ".md",
        ".toml",
        ".sh",
        ".css",
        ".ts",
        ".svelte",
        ".json",
        ".jsonl",
        ".yml",
        ".tsv",
        ".txt",
        "",
    }
    for top in ("src", "tests", "docs", "examples", "benchmarks", "web", ".ci"):
        for path in sorted((ROOT / top).rglob("*")):
            if (
                path.is_file()
                and path.suffix in kept
                and not {"__pycache__", "node_modules"} & set(path.parts)
            ):
                yield _name(path), path.read_text(encoding="utf-8")
    for path in sorted(ROOT.iterdir()):
        if path.is_file() and (path.suffix in {".md", ".toml"} or path.name == "Makefile"):
            yield _name(path), path.read_text(encoding="utf-8")


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(r"(?<![\w.~>-])/(?:work|root|home|Users|opt|mnt)/\w+")
    found = [(name, match.group()) for name, text in _texts() for match in place.finditer(text)]
    assert found == []


def test_nothing_is_left_to_do_in_the_code() -> None:
    mark = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
    found = [
        name for name, text in _texts() if name.endswith((".py", ".ts", ".svelte")) and mark.search(text)
    ]
    assert found == []


def test_no_file_is_a_drawer_for_everything() -> None:
    drawers = {"utils.py", "util.py", "helpers.py", "common.py", "misc.py"}
    assert [_name(path) for path in MODULES if path.name in drawers] == []


def test_the_tests_mirror_the_packages() -> None:
    folders = [p for p in (ROOT / "tests").rglob("*") if p.is_dir() and any(p.glob("test_*.py"))]
    own = [p.relative_to(ROOT / "tests") for p in folders]
    # The page, benchmarks and experiments have their source beside the package; files of older versions concern all packages.
    apart = {
        Path("compatibility"),
        Path("benchmarks"),
        Path("benchmarks/clinical"),
        Path("benchmarks/generalisation"),
        Path("experiments"),
    }
    strangers = [
        str(p)
        for p in own
        if not (SOURCE / p).exists() and not (ROOT / p / "src").exists() and p not in apart
    ]
    assert strangers == []


# ── documentation ────────────────────────────────────────────────────────────────────────────────────────────


class Block(NamedTuple):
    """A fenced block: where it is, its language, its lines, and the `text` block that follows it at once."""

    place: str
    language: str
    code: str
    output: str | None


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """For programs as a user starts them: this environment's commands, and a home and cache of their own."""
    home = tmp_path_factory.mktemp("home")
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return {
        "PATH": path,
        "HOME": str(home),
        "LINNET_CACHE": str(home / "cache"),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
    }


_FENCE = re.compile(
    r"^```(\w*)(?: title=.+)?\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)


def _blocks(*languages: str, pages: Sequence[Path] = PAGES) -> list[Any]:
    found = []
    for page in pages:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        for match in _FENCE.finditer(text):
            if match[1] in languages:
                line = text.count("\n", 0, match.start()) + 1
                place = f"{_name(page)}:{line}"
                found.append(pytest.param(Block(place, match[1], match[2], match[3]), id=place))
    return found


@pytest.mark.parametrize("block", _blocks("python"))
def test_python_in_the_documentation_runs_and_prints_what_it_shows(
    block: Block, environment: dict[str, str], tmp_path: Path
) -> None:
    command = [sys.executable, "-W", "error", "-c", block.code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert _stripped(done.stdout) == _stripped(block.output or "")


@pytest.mark.parametrize("block", _blocks("console"))
def test_a_session_in_the_documentation_runs_and_prints_what_it_shows(
    block: Block, environment: dict[str, str], tmp_path: Path
) -> None:
    shown = re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]
    assert shown, "a console block starts with '$ '"
    for step in shown:
        command, _, output = step.partition("\n")
        done = subprocess.run(
            ["/bin/sh", "-ec", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert _stripped(done.stdout) == _stripped(output)


# Lines of the README that a test cannot run: installing, building and testing the project, and a server that opens a browser.
_NOT_RUN = re.compile(r"make |pip install |linnet annotate")
_MESH = (
    "<{0}RecordSet><{0}Record><{3}UI>{1}</{3}UI><{3}Name><String>{2}</String></{3}Name><ConceptList>"
    '<Concept PreferredConceptYN="Y"><ConceptUI>M1</ConceptUI><ConceptName><String>{2}</String></ConceptName><TermList>'
    '<Term ConceptPreferredTermYN="Y" RecordPreferredTermYN="Y"><TermUI>T1</TermUI><String>{2}</String></Term></TermList>'
    "</Concept></ConceptList></{0}Record></{0}RecordSet>"
)


def test_every_block_of_the_readme_runs_from_top_to_bottom_in_a_shell_without_the_environment(
    tmp_path: Path,
) -> None:
    """As for somebody in a clone after `make demo`: `linnet` and `python` are found once the README has activated .venv."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    for name, record in (
        ("desc2024", ("Descriptor", "D000001", "Gout", "Descriptor")),
        ("supp2024", ("Supplemental", "C000001", "Asthma drug", "SupplementalRecord")),
    ):
        (tmp_path / f"{name}.xml.gz").write_bytes(gzip.compress(_MESH.format(*record).encode()))
    (tmp_path / "abstract.txt").write_text("Gout is painful.", encoding="utf-8")
    (tmp_path / "names.csv").write_text("id,diagnosis\n1,gout\n", encoding="utf-8")
    script = []
    for [block] in (
        param.values for param in _blocks("bash", "python", "console", pages=[ROOT / "README.md"])
    ):
        if block.language == "python":
            script += ["python - <<'CODE'", block.code, "CODE"]
        lines = block.code.splitlines()
        if block.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        script += [line for line in lines if block.language != "python" and not _NOT_RUN.match(line)]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LINNET_CACHE": str(tmp_path / "cache"),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-e"], input="\n".join(script), cwd=tmp_path, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "MESH:D000001" in (tmp_path / "linked.csv").read_text(encoding="utf-8")


def test_make_says_how_to_switch_the_environment_on_and_keeps_pip_quiet() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [demo] = re.findall(r"^demo:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert "source $(VENV)/bin/activate" in demo
    # One -q still shows pip's warnings, a screenful under a mirror of the package index.
    installs = [
        line
        for line in makefile.splitlines()
        if re.search(r"\bpip install|\$\(PIP\) (?:install|wheel)", line)
    ]
    assert [
        line for line in installs if "-qq" not in line and "$(PIP)" not in line and "/uv " not in line
    ] == []
    assert re.search(r"^PIP := .* -qq\b", makefile, re.MULTILINE)


def _stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _commands() -> dict[tuple[str, ...], tuple[str, str]]:
    """The words of every command that is no group → its name and where it is."""
    from linnet.cli import COMMANDS

    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for name, (target, _) in COMMANDS.items():
        module, _, attribute = target.partition(":")
        if attribute == "app":
            group = importlib.import_module(module)
            found |= {(name, below): (below, place) for below, (place, _) in group.COMMANDS.items()}
            if group.app.info.invoke_without_command is True:
                found[(name,)] = (name, target)
        else:
            found[(name,)] = (name, target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_the_documentation_installs_linnet_from_a_clone_or_a_wheel(page: Path) -> None:
    """It is on no package index, so `pip install 'linnet[ray]'` finds nothing."""
    commands = re.findall(r"pip install [^\n`]*", page.read_text(encoding="utf-8")) if page.exists() else []
    assert [command for command in commands if re.search(r"[ '\"]linnet(\[| |$)", command)] == []


def test_every_command_is_documented() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    commands = [" ".join(("linnet", *words)) for words in _commands()]
    assert [command for command in commands if command not in text] == []


@pytest.mark.parametrize("block", _blocks("bash", "console", pages=[*PAGES, *TUTORIALS]))
def test_commands_in_the_documentation_exist_with_their_options(block: Block) -> None:
    from linnet.cli.lazy import load

    commands = _commands()
    for words in _linnet_lines(block):
        if words[0] in ("--version", "--help"):
            continue
        path = next((p for n in (2, 1) if (p := tuple(words[:n])) in commands), None)
        assert path, f"no such command: linnet {' '.join(words)}"
        parameters = load(*commands[path]).params
        known = {name for one in parameters for name in (*one.opts, *one.secondary_opts)}
        options = [word.partition("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]
        assert [option for option in options if option not in known] == [], words


def _linnet_lines(block: Block) -> Iterator[list[str]]:
    """The words after `linnet` of every command line of a block."""
    for line in block.code.replace("\\\n", " ").splitlines():
        if block.language == "console" and not line.startswith("$ "):
            continue
        for part in re.split(r"\||&&|;|(?<!-)>|<", line.removeprefix("$ ")):
            words = shlex.split(part, comments=True)
            if words[:1] == ["linnet"]:
                yield words[1:]


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.*")), ids=_name)
def test_the_examples_run(script: Path, environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", script] if script.suffix == ".py" else ["/bin/bash", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("page", [*PAGES, *TUTORIALS], ids=_name)
def test_paths_in_the_documentation_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"`((?:src|tests|docs|examples|benchmarks)/[\w./-]*)`", text)
    assert [path for path in paths if "NAME" not in path and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", [*PAGES, *TUTORIALS], ids=_name)
def test_links_in_the_documentation_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_readme_says_what_is_in_every_package() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    packages = [path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()]
    assert [name for name in packages if f"`{name}/`" not in text] == []


def test_the_changelog_knows_this_version() -> None:
    version = importlib.import_module("linnet").__version__
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_build_machine_runs_the_readmes_test_command() -> None:
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
    script = ROOT / ".ci" / "run"
    assert re.search(r"^LINNET_NO_SKIPS=1 make test$", script.read_text(encoding="utf-8"), re.MULTILINE)
    assert script.stat().st_mode & 0o111
