"""The MCP server, asked by the SDK's own client: in this process, over standard input and output, and over HTTP."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent
from typer.testing import CliRunner

from linnet import load
from linnet.cli import app
from linnet.integrations.catalogue import Catalogue
from linnet.integrations.mcp import create_server

LINNET = str(Path(sys.executable).with_name("linnet"))
TEXT = "Breast and ovarian cancer (BOC), 😀 gout. No other names."


class Session:
    """A client's session, asked from plain code."""

    def __init__(self, portal: Any, client: Client) -> None:
        self._portal, self._client = portal, client

    def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in self._portal.call(self._client.list_tools).tools}

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers."""
        result = self._call(name, arguments)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def refusal(self, name: str, **arguments: Any) -> str:
        """The message of a tool error."""
        result = self._call(name, arguments)
        assert result.is_error
        [content] = result.content
        assert isinstance(content, TextContent)
        return content.text

    def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        return self._portal.call(self._client.call_tool, name, arguments)  # type: ignore[no-any-return]


def _session(client: Client) -> Iterator[Session]:
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(client) as opened,
    ):
        yield Session(portal, opened)


@pytest.fixture(scope="module")
def session(terminology: Path) -> Iterator[Session]:
    yield from _session(Client(create_server(load(terminology))))


@pytest.fixture(scope="module")
def restricted(terminology: Path) -> Iterator[Session]:
    """Of a server that also has the starter, and links to diseases only; its client speaks the older protocol."""
    linker = load(terminology, "starter", concept_types=["Disease"])
    yield from _session(Client(create_server(linker), mode="legacy"))


def test_tools_say_what_they_do_and_change_nothing(session: Session) -> None:
    tools = session.tools()
    assert sorted(tools) == [
        "annotate_text",
        "check_pairs",
        "get_concept",
        "link_mentions",
        "list_terminologies",
        "search_concepts",
    ]
    for tool in tools.values():
        assert tool.annotations.read_only_hint
        assert not tool.annotations.open_world_hint
        assert len(tool.description) > 60
        assert "\n    " not in tool.description
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema["type"] == "object"


def test_concepts_are_found_by_words_and_by_type(session: Session) -> None:
    [gout] = session.call("search_concepts", query="podag")["concepts"]
    assert gout == {
        "id": "T:4",
        "name": "Gout",
        "matched": "podagra",
        "match": "prefix",
        "types": ["Disease"],
        "terminology": "t",
    }
    cold = session.call("search_concepts", query="cold", types=["phenomenon"])["concepts"]
    assert [one["id"] for one in cold] == ["T:7"]
    assert session.call("search_concepts", query="cold", limit=1)["concepts"][0]["id"] == "T:6"
    assert session.call("search_concepts", query="zzz")["concepts"] == []


def test_a_concept_is_told_with_its_neighbours(session: Session) -> None:
    [breast] = session.call("get_concept", id="T:2")["concepts"]
    assert breast["synonyms"] == ["breast cancer"]
    assert breast["parents"] == [{"id": "T:9", "name": "Neoplasms"}]
    [tumour] = session.call("get_concept", id="T:9")["concepts"]
    assert [child["id"] for child in tumour["children"]] == ["T:2", "T:3"]
    [gout] = session.call("get_concept", id="T:4")["concepts"]
    assert (gout["cross_references"], gout["vocabularies"], gout["asked"]) == (["DOID:13189"], ["A"], "")


def test_a_retired_id_gives_what_replaced_it(session: Session) -> None:
    [gout] = session.call("get_concept", id="T:8")["concepts"]
    assert (gout["id"], gout["asked"]) == ("T:4", "T:8")


def test_mentions_are_linked_in_order_with_their_context(session: Session, terminology: Path) -> None:
    mentions = [
        {"text": "AT", "left": "Ataxia telangiectasia (", "right": ") is rare."},
        {"text": "breast and ovarian cancer"},
        {"text": "qwertz"},
    ]
    found = session.call("link_mentions", mentions=mentions, candidates=2)["mentions"]
    assert [one["concepts"] for one in found] == [["T:1"], ["T:2", "T:3"], []]
    assert found[0]["candidates"][0]["origin"] == "exact+abbreviation"
    assert len(found[0]["candidates"]) == 2
    assert [part["name"] for part in found[1]["parts"]] == ["Breast Neoplasms", "Ovarian Neoplasms"]
    [link] = load(terminology).link(["breast and ovarian cancer"])
    assert found[1]["probability"] == link.probability
    assert (
        session.call("link_mentions", mentions=[{"text": "gout"}], candidates=0)["mentions"][0]["candidates"]
        == []
    )


def test_what_an_override_decides_says_so_without_candidates_too(terminology: Path, tmp_path: Path) -> None:
    file = tmp_path / "overrides.tsv"
    file.write_text("gout\t*\tforbid\ncold\tT:7\tforce\n")
    mentions = [{"text": text} for text in ("gout", "cold", "breast cancer", "breast cancer; gout")]
    for session in _session(Client(create_server(load(terminology, overrides=file)))):
        answers = session.call("link_mentions", mentions=mentions, candidates=0)["mentions"]
        assert [answer["origin"] for answer in answers] == ["override", "override", None, None]
        assert [part["origin"] for part in answers[-1]["parts"]] == [None, "override"]


def test_ids_and_labels_are_checked(session: Session) -> None:
    [gout] = session.call("search_concepts", query="podag")["concepts"]
    given = [{"id": gout["id"], "label": "podagra"}, {"id": "X:none", "label": "podagra"}]
    found = session.call("check_pairs", pairs=given)["pairs"]
    assert [pair["verdict"] for pair in found] == ["name", "unknown id"]
    assert [pair["nearest"] for pair in found] == [gout["id"]] * 2


def test_names_in_a_text_are_found_with_offsets_in_characters(session: Session) -> None:
    found = session.call("annotate_text", text=TEXT)["mentions"]
    assert [(one["text"], TEXT[one["start"] : one["end"]]) for one in found] == [
        (one["text"], one["text"]) for one in found
    ]
    assert {one["text"]: one["concepts"] for one in found}["gout"] == ["T:4"]
    assert session.call("annotate_text", text="aspirin for gout", types=["Chemical"])["mentions"][0][
        "concepts"
    ] == ["T:5"]
    assert session.call("annotate_text", text="No names.")["mentions"] == []


def test_the_terminologies_are_told_with_their_digests(session: Session, terminology: Path) -> None:
    told = session.call("list_terminologies")
    [one] = told["terminologies"]
    assert one["digest"] == load(terminology).terminologies[0].digest
    assert (one["concepts"], one["types"], one["example"]) == (
        8,
        ["Chemical", "Disease", "Phenomenon"],
        "T:5",
    )
    assert told["reranker"].startswith("context ")
    assert told["found_types"] == ["Chemical", "Disease", "Phenomenon"]


def test_several_terminologies_are_one_and_restrictions_hold(restricted: Session) -> None:
    names = [one["name"] for one in restricted.call("list_terminologies")["terminologies"]]
    assert names == ["t", "starter"]
    found = restricted.call("search_concepts", query="gout")["concepts"]
    assert [one["terminology"] for one in found[:2]] == ["t", "starter"]
    assert restricted.call("search_concepts", query="aspirin")["concepts"] == []
    assert "No concept has the id 'T:5'" in restricted.refusal("get_concept", id="T:5")
    assert restricted.call("get_concept", id="D003924")["concepts"][0]["id"] == "MESH:D003924"


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("get_concept", {"id": "T:99"}, "No concept has the id 'T:99'. Ids look like T:5."),
        (
            "search_concepts",
            {"query": "cold", "types": ["Disese"]},
            "Did you mean 'Disease'? Choose from: Chemical, Disease, Phenomenon.",
        ),
        (
            "annotate_text",
            {"text": "gout", "types": ["disese"]},
            "Unknown type of mentions 'disese'. Did you mean 'Disease'? Choose from: Chemical, Disease, Phenomenon.",
        ),
        ("annotate_text", {"text": "gout " * 5000}, "at most 20000 characters"),
        (
            "annotate_text",
            {"text": "gout", "typs": ["Disease"]},
            "Did you mean 'types'? Arguments: text, types, candidates",
        ),
        ("link_mentions", {"mentions": []}, "at least 1 item"),
        ("link_mentions", {"mentions": [{"text": "x"}] * 201}, "at most 200 items"),
        ("link_mentions", {"mentions": [{"name": "gout"}]}, "The argument 'mentions.0.text' is missing"),
        ("link_mentions", {"mentions": [{"name": "gout"}]}, "Arguments: text, left, right, document, type"),
        ("link_mentions", {"mentions": ["gout"]}, "mentions.0: expected an object with text, left"),
        ("link_mentions", {"mentions": [{"text": ""}] * 9}, "And 4 more. Correct it and call link_mentions"),
        ("link_mentions", {"mentions": [{"text": "gout"}], "candidates": 99}, "less than or equal to 20"),
        ("search_concepts", {"query": "x", "limit": 1000}, "less than or equal to 50"),
    ],
)
def test_what_is_refused_is_a_tool_error_that_says_why(
    session: Session, tool: str, arguments: dict[str, Any], says: str
) -> None:
    said = session.refusal(tool, **arguments)
    assert says in said
    assert not re.search("pydantic|input_type|Traceback", said)


def test_a_search_index_that_cannot_be_read_is_a_tool_error(
    terminology: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from linnet.errors import StoreError

    linker = load(terminology)
    catalogue = Catalogue(linker.group)

    def refuse(*_: object) -> None:
        raise StoreError("the disk is read-only")

    monkeypatch.setattr("linnet.terminology.search.SearchIndex.open", refuse)
    for session in _session(Client(create_server(linker, catalogue=catalogue))):
        assert "the disk is read-only" in session.refusal("search_concepts", query="gout")
        assert session.call("link_mentions", mentions=[{"text": "gout"}])["mentions"][0]["concepts"] == [
            "T:4"
        ]


def test_an_assistant_starts_it_and_talks_over_standard_input_and_output(terminology: Path) -> None:
    command = StdioServerParameters(command=LINNET, args=["mcp", "--terminology", str(terminology)])
    for session in _session(Client(stdio_client(command))):
        assert len(session.tools()) == 6
        assert session.call("link_mentions", mentions=[{"text": "podagra"}])["mentions"][0]["name"] == "Gout"
        assert session.call("search_concepts", query="gout")["concepts"][0]["id"] == "T:4"
        assert "No concept" in session.refusal("get_concept", id="nothing")


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("search_concepts", {"query": "gout", "limit": True}, "limit"),
        ("link_mentions", {"mentions": [{"text": "gout"}], "candidates": True}, "candidates"),
        ("annotate_text", {"text": "gout", "candidates": False}, "candidates"),
    ],
)
def test_a_boolean_is_no_number(session: Any, tool: str, arguments: Any, field: str) -> None:
    said = session.refusal(tool, **arguments)
    assert f"{field}: got a boolean; expected a whole number." in said


def test_the_word_starter_names_the_packaged_terminology() -> None:
    command = StdioServerParameters(command=LINNET, args=["mcp", "--terminology", "starter"])
    for session in _session(Client(stdio_client(command))):
        links = session.call("link_mentions", mentions=[{"text": "heart attack"}])["mentions"]
        assert links[0]["concepts"] == ["MESH:D009203"]
        assert [entry["name"] for entry in session.call("list_terminologies")["terminologies"]] == ["starter"]


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_at_once_and_nothing_but_messages_is_on_standard_output(
    terminology: Path, sent: signal.Signals, code: int
) -> None:
    request = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    with _started(terminology) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        started.stdin.write(request)
        started.stdin.flush()
        assert b'"id":1' in started.stdout.readline()
        started.send_signal(sent)
        assert started.wait(20) == code
        assert started.stdout.read() == b""


def test_it_listens_on_a_port_of_this_machine(terminology: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with _started(terminology, "--port", str(port)) as started:
        assert started.stderr is not None
        line = started.stderr.readline().decode()
        while "Listening" not in line:
            line = started.stderr.readline().decode()
        assert f"http://127.0.0.1:{port}/mcp" in line
        _until_open(port)
        for session in _session(Client(f"http://127.0.0.1:{port}/mcp")):
            assert session.call("search_concepts", query="gout")["concepts"][0]["id"] == "T:4"
        started.send_signal(signal.SIGTERM)
        started.wait(20)


@contextmanager
def _started(terminology: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [LINNET, "mcp", "-t", str(terminology), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "200"},
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def _until_open(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError("the port was never open")


def test_a_terminology_that_is_none_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["mcp", "-t", str(tmp_path / "nowhere")])
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "linnet terminology build" in done.stderr


def test_a_port_that_is_taken_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(app, ["mcp", "-t", str(tmp_path / "nowhere"), "--port", port])
    assert done.exit_code == 1
    assert "Choose another --port" in done.stderr


def test_without_the_sdk_the_extra_is_named(terminology: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == "linnet.integrations.mcp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    done = CliRunner().invoke(app, ["mcp", "-t", str(terminology)])
    assert done.exit_code == 1
    assert "Run: pip install -e '.[mcp]'" in done.stderr


def test_what_the_text_says_of_a_name_is_told_if_asked(terminology: Path, session: Session) -> None:
    for asked in _session(Client(create_server(load(terminology, assertion=True)))):
        answer = asked.call("annotate_text", text="O/E: BP 120/80, nil else. No gout.")
        assert [found["assertion"] for found in answer["mentions"]] == [["negated"]]
        assert answer["text_kind"] == "note"
    [found] = session.call("annotate_text", text="No gout.")["mentions"]
    assert found["assertion"] is None
