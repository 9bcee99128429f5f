"""The library says what happened; each face says what to do next, in its own words."""

from __future__ import annotations

import ast
import json
import pickle
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import linnet
from linnet.advice import Advice, Note, Step, read_wordings, worded
from linnet.cli.advice import TABLE, for_command
from linnet.errors import DamagedError, DataError, LinnetError, RequestError, UnknownIdError
from linnet.http.wording import TABLE as SERVICES_TABLE
from linnet.http.wording import in_service

SOURCE = Path(str(linnet.__file__)).parent
COMMAND_LINE = read_wordings(TABLE)
SERVICES = read_wordings(SERVICES_TABLE)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
FACT, OPTIONAL = re.compile(r"\{(\w+)(?:![rw])?\}"), re.compile(r"\[[^][]*\{[^][]*\]")
# Where requests to a service, and its work in the background, come by.
SERVED = (
    "annotate/",
    "corpora/",
    "encode/",
    "http/",
    "io/",
    "link/",
    "mapping/",
    "rerank/",
    "retrieve/",
    "serve/",
    "system/",
    "terminology/",
)
# Of these, what only commands call, before a service answers anything.
STARTING = (
    "annotate/archive/server_backup.py",
    "annotate/archive/server_restore.py",
    "annotate/archive/writing.py",
    "annotate/domain/accounts/recovery.py",
    "annotate/public_url.py",
    "annotate/server.py",
    "annotate/server_lock.py",
    "annotate/settings.py",
    "corpora/link_output.py",
    "http/listening.py",
    "link/indexing.py",
    "mapping/mapping.py",
    "serve/server.py",
    "serve/supervisor.py",
    "terminology/fetch.py",
    "terminology/readers/",
)


def modules() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(SOURCE.rglob("*.py")):
        yield file.relative_to(SOURCE).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


MODULES = dict(modules())


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of the literals of a module that are not docstrings."""
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


def named_step(node: ast.AST) -> Step | None:
    of_step = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Step"
    return Step[node.attr] if of_step else None  # type: ignore[attr-defined]


def given() -> Iterator[tuple[str, Step, set[str]]]:
    """Module, step and facts of each advice in the library; "*" is a fact where the step is called elsewhere."""
    for name, tree in MODULES.items():
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (step := named_step(node.func)):
                called.add(node.func)
                yield name, step, {keyword.arg or "*" for keyword in node.keywords}
        for node in ast.walk(tree):
            if node not in called and (step := named_step(node)):
                yield name, step, {"*"}


def given_in_table() -> Iterator[tuple[str, Step, set[str]]]:
    """The same of the table of files that are refused."""
    table = SOURCE / "formats" / "refusals.tsv"
    for step, facts in re.findall(
        r"→ ([A-Z_]+)(?: (\{.*?\}))?(?=\t|$)", table.read_text("utf-8"), re.MULTILINE
    ):
        yield "formats/refusals.tsv", Step[step], set(json.loads(facts or "{}"))


GIVEN = [*given(), *given_in_table()]


def test_no_message_outside_the_command_line_names_one_of_its_options() -> None:
    named = [
        f"{name}:{line}: {text}"
        for name, tree in MODULES.items()
        if not name.startswith("cli/")
        for line, text in strings(tree)
        if OPTION.search(text)
    ]
    assert not named


def test_every_step_is_advised_somewhere_and_worded_for_the_command_line() -> None:
    assert {step for _, step, _ in GIVEN} == set(Step)
    assert set(COMMAND_LINE) == set(Step)


def test_services_have_words_for_what_can_reach_them() -> None:
    reaching = {step for name, step, _ in GIVEN if name.startswith(SERVED) and not name.startswith(STARTING)}
    assert reaching == set(SERVICES)


@pytest.mark.parametrize("step", Step, ids=lambda step: step.name)
def test_wordings_have_the_facts_that_they_name(step: Step) -> None:
    wordings = [step.value, *COMMAND_LINE[step], *SERVICES.get(step, ())]
    for name, _, facts in (each for each in GIVEN if each[1] is step):
        for wording in wordings:
            needed = set(FACT.findall(OPTIONAL.sub("", wording)))
            assert needed <= facts or "*" in facts, (name, wording)
        assert facts - {"*"} <= set(FACT.findall(" ".join(wordings))), name


def test_what_python_is_told_to_call_exists() -> None:
    named = {name for step in Step for name in re.findall(r"\blinnet(?:\.\w+)+", step.value)}
    assert len(named) > 10
    for name in named:
        assert pkgutil.resolve_name(name), name


def test_facts_in_brackets_may_be_unknown_and_flags_are_written_as_nothing() -> None:
    wording = "index {terminology}[ --retriever {retrievers}][ --update{update}]"
    assert worded(wording, {"terminology": Path("mesh")}) == "index mesh"
    assert worded(wording, {"terminology": "mesh", "retrievers": ["exact", "dense"], "update": True}) == (
        "index mesh --retriever exact,dense --update"
    )
    assert worded("load({path!r}, retrievers={names!r})", {"path": Path("mesh"), "names": ["exact"]}) == (
        "load('mesh', retrievers=['exact'])"
    )
    with pytest.raises(KeyError):
        worded(wording, {})


def test_an_error_is_worded_for_python_and_for_the_running_command() -> None:
    error = DamagedError("mesh is damaged.", Step.BUILD_TERMINOLOGY(terminology="mesh"))
    assert str(error) == "mesh is damaged. Build it: linnet.build(SOURCES, 'mesh')."
    assert for_command(error, None) == "mesh is damaged. Run: linnet terminology build SOURCE -o mesh"
    assert in_service(error) == for_command(error, None)
    assert (error.code, error.message) == ("damaged", "mesh is damaged.")


def test_advice_that_needs_an_option_is_left_out_where_the_command_lacks_it() -> None:
    error = RequestError("No index is named.", Step.NAME_INDEXES(retrievers=["exact"]))
    assert (
        for_command(error, {"--retriever"}) == "No index is named. Name one or more, e.g. --retriever exact"
    )
    assert for_command(error, {"--k"}) == "No index is named."


def test_errors_and_notes_keep_everything_when_pickled() -> None:
    advice = Step.BUILD_TERMINOLOGY(terminology="mesh")
    for error in (
        DataError("wrong", advice, path="a.tsv", line=3, code="own"),
        UnknownIdError("gone", advice),
        RequestError("no"),
    ):
        again: LinnetError = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.code, again.advice) == (
            type(error), str(error), error.code, error.advice,
        )  # fmt: skip
    note = pickle.loads(pickle.dumps(Note("Left out.", advice)))
    assert (note, note.message, note.advice) == (f"Left out. {advice}", "Left out.", (advice,))


def test_a_message_of_several_lines_is_followed_by_its_advice_on_a_line_of_its_own() -> None:
    advice: Advice = Step.MODEL_AGAIN()
    assert (
        str(LinnetError("Changed:\n  a", advice)) == "Changed:\n  a\nFetch, export or train the model again."
    )
