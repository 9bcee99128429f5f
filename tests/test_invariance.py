"""How a text looks changes no answer, whatever way it is given: blanks, quotes, brackets, numbers, invisible characters."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from linnet import Linker, load
from linnet.cli import app
from linnet.integrations.frames import link_frame
from linnet.types import Document, Link, Mention

# Paraphrases, misspelt names, composites and one exact name.
NAMES = ["itchy skins", "hart attack", "breast and ovarian cancers", "non-small cell lung carcinomas", "asthma", "blorf"]  # fmt: skip
LOOKS: dict[str, Callable[[str], str]] = {
    "blank before": lambda text: f" {text}",
    "blank behind": lambda text: f"{text} ",
    "line end behind": lambda text: f"{text}\n",
    "double blank": lambda text: text.replace(" ", "  "),
    "no-break space": lambda text: text.replace(" ", "\u00a0"),
    "straight quotes": lambda text: f'"{text}"',
    "single quotes": lambda text: f"'{text}'",
    "curly quotes": lambda text: f"“{text}”",
    "single curly quotes": lambda text: f"‘{text}’",
    "brackets": lambda text: f"[{text}]",
    "number": lambda text: f"1. {text}",
    "stop": lambda text: f"{text}.",
    "zero-width space": lambda text: f"{text[:3]}\u200b{text[3:]}",
    "byte order mark": lambda text: f"\ufeff{text}",
    "soft hyphen": lambda text: f"{text[:-2]}\u00ad{text[-2:]}",
    "non-breaking hyphen": lambda text: text.replace("-", "\u2011"),
    "tags": lambda text: f"<b>{text[:4]}</b>{text[4:]}",
    "entities": lambda text: text.replace("c", "&#99;"),
    "wide characters": lambda text: text.replace("a", "ａ"),
}  # fmt: skip
Answer = tuple[tuple[str, ...], float | None]


@lru_cache
def _linker() -> Linker:
    return load("starter")


def _answer(link: Link) -> Answer:
    return link.concepts, link.probability


def _of_record(record: dict[str, Any]) -> Answer:
    return tuple(record["concepts"]), record["probability"]


def _of_row(row: dict[str, str]) -> Answer:
    concepts = tuple(filter(None, row["concepts"].split("|")))
    return concepts, float(row["probability"]) if row["probability"] else None


def _command(*arguments: str, given: str) -> str:
    result = CliRunner().invoke(app, ["link", "-", "-t", "starter", *arguments], input=given)
    assert result.exit_code == 0, result.output
    return result.stdout


def python(texts: Sequence[str]) -> list[Answer]:
    return [_answer(link) for link in _linker().link(texts)]


def command_lines(texts: Sequence[str]) -> list[Answer]:
    lines = "".join(f"{text.strip(chr(10))}\n" for text in texts)
    return [
        _of_record(json.loads(line))
        for line in _command("--mentions", "--format", "mentions", given=lines).splitlines()
    ]


def command_table(texts: Sequence[str]) -> list[Answer]:
    table = io.StringIO()
    csv.writer(table).writerows([["name"], *([text] for text in texts)])
    out = _command("--column", "name", "--input-format", "table", "--format", "csv", given=table.getvalue())
    return [_of_row({**row, "name": ""}) for row in csv.DictReader(io.StringIO(out))]


def command_mentions(texts: Sequence[str]) -> list[Answer]:
    lines = "".join(json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(texts))
    out = _command("--mentions", "--input-format", "mentions", given=lines)
    return [_of_record(json.loads(line)) for line in out.splitlines()]


def frames(texts: Sequence[str]) -> list[Answer]:
    table = link_frame(
        pa.table({"name": list(texts)}), "name", _linker(), add=["concepts", "probability"], prefix=""
    )
    return [(tuple(row["concepts"]), row["probability"]) for row in table.to_pylist()]


def rest(texts: Sequence[str]) -> list[Answer]:
    pytest.importorskip("fastapi", reason="needs the serve extra")
    from fastapi.testclient import TestClient

    from linnet.link.linker_config import LinkerConfig
    from linnet.serve.app import create_app
    from linnet.serve.settings import Settings

    _, application = create_app(Settings(opening=LinkerConfig(terminologies=("starter",)), threads=1))
    with TestClient(application, base_url="http://127.0.0.1:8766") as client:
        links = client.post("/v1/link", json={"mentions": [{"text": text} for text in texts]}).json()["links"]
    return [_of_record(link) for link in links]


def mcp(texts: Sequence[str]) -> list[Answer]:
    pytest.importorskip("mcp", reason="needs the mcp extra")
    import anyio
    from mcp import Client

    from linnet.integrations.mcp import create_server

    async def call() -> Any:
        async with Client(create_server(_linker())) as client:
            return await client.call_tool("link_mentions", {"mentions": [{"text": text} for text in texts]})

    return [_of_record(mention) for mention in anyio.run(call).structured_content["mentions"]]


INTERFACES = [python, command_lines, command_table, command_mentions, frames, rest, mcp]


@pytest.mark.parametrize("interface", INTERFACES, ids=lambda interface: interface.__name__)
def test_a_string_is_linked_whatever_it_looks_like(
    interface: Callable[[Sequence[str]], list[Answer]],
) -> None:
    looks = [(name, look, text) for name, look in LOOKS.items() for text in NAMES]
    given = dict(zip(NAMES, interface(NAMES), strict=True))
    changed = interface([look(text) for _, look, text in looks])
    other = [
        (name, text) for (name, _, text), answer in zip(looks, changed, strict=True) if answer != given[text]
    ]
    assert other == []


def test_all_interfaces_give_the_same_answers() -> None:
    assert all(interface(NAMES) == python(NAMES) for interface in INTERFACES)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(sorted(set(LOOKS) - {"number", "tags", "entities"})), max_size=4),
)
def test_several_changes_of_looks_change_no_link(name: str, looks: list[str]) -> None:
    text = name
    for look in looks:
        text = LOOKS[look](text)
    [link, changed] = _linker().link([name, text])
    assert _answer(changed) == _answer(link)
    assert (changed.mention.text, changed.candidates) == (text, link.candidates)


_INSIDE = [name for name, look in LOOKS.items() if look("a b-c") == look("a b-c").strip(" \n.[]'\"“”‘’1")]


@pytest.mark.parametrize("look", _INSIDE)
def test_a_mention_in_its_document_is_linked_whatever_it_looks_like(look: str) -> None:
    left, right = "The patient's brother had a ", ", but no non-small cell lung carcinoma (NSCLC)."
    plain = [_in_context(left, name, right) for name in NAMES]
    changed = [_in_context(LOOKS[look](left), LOOKS[look](name), LOOKS[look](right)) for name in NAMES]
    assert list(map(_answer, _linker().link(changed))) == list(map(_answer, _linker().link(plain)))


def _in_context(left: str, text: str, right: str) -> Mention:
    document = Document("d", left + text + right)
    return Mention(document, len(left), len(left) + len(text), text)


@pytest.mark.parametrize(
    ("before", "after"),
    [("\ufeff", ""), ("\u200b", "\u200b"), ("“", "”"), ("\u00a0", "\u00a0"), ("SjÃ¶gren: ", "")],
)
def test_offsets_of_recognised_names_count_the_characters_that_were_given(before: str, after: str) -> None:
    text = f"He had {before}breast\u00a0cancer{after} and non\u2011small\u00adcell lung\u200b cancer, not asth\u00adma."
    found = _linker().annotate(text).mentions
    assert all(text[mention.start : mention.end] == mention.text for mention in found)
    assert {mention.text for mention in found} >= {"breast\u00a0cancer", "asth\u00adma"}


def test_spacy_entities_are_linked_whatever_they_look_like() -> None:
    spacy = pytest.importorskip("spacy", reason="needs the spacy extra")
    nlp = spacy.blank("en")
    nlp.add_pipe("linnet", config={"terminology": "starter", "recognise": True})
    plain = [entity.kb_id_ for entity in nlp("He had breast cancer and asthma.").ents]
    assert plain
    for text in (
        "\ufeffHe had breast\u00a0cancer and asthma.",
        "He had breast\u2009cancer\u200b and ‘asthma’.",
    ):
        assert [entity.kb_id_ for entity in nlp(text).ents] == plain


def test_marks_that_belong_to_a_name_stay(tmp_path: Path) -> None:
    import linnet

    source = tmp_path / "names.jsonl"
    names = ["[Ca2+]", "5'-deoxyadenosine 5'", "'TONGUE-TIE'", "Ca2+ sign"]
    source.write_text(
        "".join(json.dumps({"id": f"T:{n}", "name": name}) + "\n" for n, name in enumerate(names, start=1))
    )
    linnet.build([source], tmp_path / "t")
    links = load(tmp_path / "t").link([*names, "[Ca2+ sign]", "(5'-deoxyadenosine 5')"])
    assert [link.concepts for link in links] == [("T:1",), ("T:2",), ("T:3",), ("T:4",), ("T:4",), ("T:2",)]


@pytest.mark.parametrize(
    "text", ["", " ", "\u200b", '""', "[]", "[n/a]", '"-"', "(none)", "1.", "“?”", "\ufeff"]
)
def test_marks_around_nothing_are_nil(text: str) -> None:
    [link] = _linker().link([text])
    assert link.is_nil
    assert link.mention.text == text
