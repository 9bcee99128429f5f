"""What every registered format promises: reading what was written gives the same, and losses are listed."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linnet import corpora
from linnet.errors import DataError, OffsetError, RequestError, UnknownNameError
from linnet.formats.head import CONTROL_CODES
from linnet.types import Document, Mention

_SPACED = {chr(code) for code in CONTROL_CODES}
ENDINGS = {"brat": "folder", "text": "folder", "table": "out.csv"}

characters = st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t") | st.sampled_from(
    "aé😀 \u2028\u00a0|<&\"'"
)
plain = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")) | st.sampled_from("aé😀 |<&\"'")
words = st.text("abcdé😀-", min_size=1, max_size=6)
types = st.sampled_from(["Disease", "Chemical", "T047"])
curies = st.sampled_from(
    ["MESH:D000001", "MESH:C123456", "OMIM:100100", "UMLS:C0000001", "HP:0000001", "MESH:odd"]
)


@st.composite
def documents(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> Document:
    """A document with any text and mentions anywhere in it, overlapping or not."""
    text = draw(texts)
    home = Document(draw(words), text)
    mentions = []
    for _ in range(draw(st.integers(0, 4)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        concepts = tuple(draw(st.lists(curies, max_size=3, unique=True)))
        extra = {"combined": True} if len(concepts) > 1 and draw(st.booleans()) else {}
        mentions.append(Mention(home, start, end, text[start:end], draw(types), concepts, extra=extra))
    return home.with_mentions(mentions)


def corpus(texts: st.SearchStrategy[str]) -> st.SearchStrategy[list[Document]]:
    return st.lists(documents(texts), min_size=1, max_size=3, unique_by=lambda d: d.id)


def back(written: list[Document], format: str, **options: Any) -> tuple[list[Document], corpora.Losses]:
    """What is read after writing, in the order of the ids where files are named for them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ENDINGS.get(format, "out")
        losses = corpora.write(written, path, format=format)
        return list(corpora.read(path, format=format, **options)), losses


def shown(document: Document) -> tuple[str, str, tuple[Mention, ...], list[Any]]:
    return document.id, document.text, document.mentions, [m.extra.get("combined") for m in document.mentions]


quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(st.sampled_from(["jsonl", "texoo", "biocjson", "bioc"]), corpus(st.text(characters, max_size=40)))
def test_any_text_and_its_mentions_are_read_back_as_written(format: str, written: list[Document]):
    read, losses = back(written, format)
    assert not losses
    assert [shown(d) for d in read] == [shown(d) for d in written]


@quick
@given(corpus(st.text(plain, min_size=1, max_size=40)))
def test_pubtator_reads_back_any_text_of_one_line(written: list[Document]):
    read, losses = back(written, "pubtator")
    assert not losses
    assert [shown(d) for d in read] == [shown(d) for d in written]


@quick
@given(corpus(st.text(characters, max_size=40)))
def test_pubtator_keeps_offsets_whatever_the_line_breaks(written: list[Document]):
    read, _ = back(written, "pubtator")
    spaced = [d.text.translate({10: 32, 9: 32}) for d in written]
    assert [d.text for d in read] == spaced
    assert [[(m.start, m.end) for m in d.mentions] for d in read] == [
        [(m.start, m.end) for m in d.mentions] for d in written
    ]


@quick
@given(corpus(st.text(characters, max_size=40)))
def test_brat_reads_back_any_text_but_for_marks_that_concepts_hold_only_together(written: list[Document]):
    read, losses = back(written, "brat")
    combined = sum("combined" in m.extra for d in written for m in d.mentions)
    assert sum(losses.counts.values()) == combined
    by_id = {d.id: d for d in written}
    assert {d.id: (d.text, d.mentions) for d in read} == {id: (d.text, d.mentions) for id, d in by_id.items()}


controls = st.sampled_from([chr(code) for code in (*range(32), 0x7F, 0x85)] + list("\0\x01 abcé😀"))


@quick
@given(
    st.sampled_from(sorted(corpora.writers.keys() - {"mentions"})),
    corpus(st.text(controls, min_size=1, max_size=40)),
)
def test_a_text_with_control_characters_can_be_read_after_writing(format: str, written: list[Document]):
    documents = [document for document in written if any(map(str.isalpha, document.text))]
    if not documents or (format == "table" and not any(document.mentions for document in documents)):
        return
    read, losses = back(documents, format)
    if format in ("jsonl", "biocjson", "texoo"):
        assert [shown(d) for d in read] == [shown(d) for d in documents]
        return
    held = _SPACED & {character for document in documents for character in document.text}
    counted = "texts with control characters (now spaces)" in losses.counts
    assert counted == bool(held) or format in ("table", "bioc")
    if format in ("pubtator", "brat", "text"):
        spaces = dict.fromkeys(map(ord, _SPACED), " ") | (
            {10: " ", 13: " ", 9: " "} if format == "pubtator" else {}
        )
        by_id = {document.id: document.text.translate(spaces) for document in documents}
        assert {document.id: document.text for document in read} == by_id
    if format in ("pubtator", "brat"):
        places = {d.id: [(m.start, m.end, m.type) for m in d.mentions] for d in documents}
        assert {d.id: [(m.start, m.end, m.type) for m in d.mentions] for d in read} == places


@st.composite
def tokenised(draw: st.DrawFn) -> Document:
    """Sentences of tokens, each token a mention, inside one, or neither."""
    home = Document(
        draw(words),
        "\n".join(" ".join(s) for s in draw(st.lists(st.lists(words, min_size=1), min_size=1, max_size=3))),
    )
    at, mentions = 0, []
    for token in home.text.replace("\n", " ").split(" "):
        if draw(st.booleans()):
            mentions.append(Mention(home, at, at + len(token), token, draw(types)))
        at += len(token) + 1
    return replace(home.with_mentions(mentions), extra={"conll": {"columns": []}})


@quick
@given(st.lists(tokenised(), min_size=1, max_size=3, unique_by=lambda d: d.id))
def test_conll_reads_back_tokens_and_mentions(written: list[Document]):
    read, losses = back(written, "conll")
    assert not losses
    assert read == written


@quick
@given(documents(st.text(characters, max_size=40)))
def test_conll_keeps_every_character_that_is_not_a_space_and_every_outermost_mention(written: Document):
    if not written.text.strip():
        return
    (read,), losses = back([written], "conll")
    assert "".join(read.text.split()) == "".join(written.text.split())
    gone = losses.counts.get("overlapping mentions", 0) + losses.counts.get("mentions of spaces alone", 0)
    assert len(read.mentions) == len(written.mentions) - gone


@quick
@given(
    st.lists(
        st.tuples(words, st.text(plain, max_size=9), st.text(plain, max_size=9), types),
        min_size=1,
        max_size=4,
    )
)
def test_mentions_are_read_back_with_their_context(rows: list[tuple[str, str, str, str]]):
    written = []
    for number, (text, left, right, type) in enumerate(rows):
        alone = Mention.alone(text, left=left, right=right, document="9", type=type)
        mention = replace(alone, concepts=("MESH:D000001",), extra={"id": f"m{number}"})
        written.append(Document("9", alone.document.text, (mention,), {"mentions": {"document": True}}))
    read, losses = back(written, "mentions")
    assert not losses
    assert read == written
    assert [d.mentions[0].extra for d in read] == [d.mentions[0].extra for d in written]


@quick
@given(corpus(st.text(characters, min_size=1, max_size=40).filter(str.strip)))
def test_plain_text_is_read_back_and_the_mentions_counted_as_lost(written: list[Document]):
    read, losses = back(written, "text")
    assert {d.id: d.text for d in read} == {d.id: d.text for d in written}
    assert losses.counts.get("mentions", 0) == sum(len(d.mentions) for d in written)


# Every format in turn ------------------------------------------------------------------------------------------------


def sample() -> Iterator[Document]:
    home = Document(
        "7",
        "Gout and ataxia hurt. Colchicine helps.",
        extra={"title": 21, "pubtator": {"relations": ["CID\tA\tB"]}},
    )
    yield home.with_mentions(
        [
            Mention(home, 0, 4, "Gout", "Disease", ("MESH:D000001",), extra={"class": "Modifier"}),
            Mention(home, 0, 15, "Gout and ataxia", "Disease", ("MESH:D000001", "MESH:D000002"), "user", 0.5),
            Mention(home, 22, 32, "Colchicine", "Chemical", extra={"spans": [[22, 24], [26, 32]]}),
        ]
    )


def test_every_format_has_a_reader_and_all_but_bigbio_and_exports_of_tools_a_writer():
    assert list(corpora.readers) == sorted(corpora.readers)
    assert list(corpora.writers) == sorted(corpora.writers)
    of_tools = {format for format, target in corpora.readers.items() if ".corpora.tools." in target}
    assert corpora.readers.keys() - of_tools - {"bigbio"} == corpora.writers.keys()


@pytest.mark.parametrize("format", corpora.writers)
def test_what_is_written_is_detected_and_read(tmp_path: Path, format: str):
    path = tmp_path / ENDINGS.get(format, "out")
    corpora.write(sample(), path, format=format)
    assert corpora.detect(path) == format
    assert list(corpora.read(path))


@pytest.mark.parametrize("format", corpora.writers)
def test_writing_again_what_was_read_loses_nothing_and_changes_nothing(tmp_path: Path, format: str):
    first, second = (tmp_path / name / ENDINGS.get(format, "out") for name in ("a", "b"))
    first.parent.mkdir()
    second.parent.mkdir()
    corpora.write(sample(), first, format=format)
    losses = corpora.write(corpora.read(first), second, format=format)
    assert losses.lines() == []
    files = [first] if first.is_file() else sorted(first.iterdir())
    for file in files:
        assert (second if first.is_file() else second / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("jsonl", []),
        ("pubtator", ["confidence of mentions", "discontinuous spans", "source of mentions"]),
        ("bioc", ["confidence of mentions", "mention classes", "relations (pubtator)", "source of mentions"]),
        ("texoo", ["discontinuous spans", "mention classes", "relations (pubtator)", "title boundaries"]),
        ("text", ["mentions", "relations (pubtator)", "title boundaries"]),
    ],
)
def test_a_conversion_lists_what_it_loses(tmp_path: Path, format: str, expected: list[str]):
    losses = corpora.write(sample(), tmp_path / ENDINGS.get(format, "out"), format=format)
    assert sorted(losses.counts) == expected
    assert bool(losses) == bool(expected)
    assert str(losses) == ("; ".join(losses.lines()) or "nothing lost")


@pytest.mark.parametrize("format", corpora.writers)
def test_when_the_documents_break_off_nothing_is_written(tmp_path: Path, format: str):
    def breaking() -> Iterator[Document]:
        yield next(sample())
        raise DataError("broken off")

    with pytest.raises(DataError, match="broken off"):
        corpora.write(breaking(), tmp_path / ENDINGS.get(format, "out"), format=format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", corpora.readers)
def test_missing_and_empty_files_are_refused(tmp_path: Path, format: str):
    with pytest.raises(DataError, match=r"no such file|text is missing"):
        list(corpora.read(tmp_path / "none.txt", format=format))
    for content in (b"", b"\n \n"):
        (tmp_path / "empty.txt").write_bytes(content)
        if format != "brat":
            with pytest.raises(DataError, match=r"empty\.txt"):
                list(corpora.read(tmp_path / "empty.txt", format=format))


@pytest.mark.parametrize("format", corpora.readers)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200) | st.text('{}[]":,|ta1\t\n <>/abO-B', max_size=120).map(str.encode))
def test_any_bytes_are_read_or_refused_and_never_break_the_reader(
    tmp_path: Path, format: str, content: bytes
):
    path = tmp_path / "any.txt"
    path.write_bytes(content)
    try:
        read = list(corpora.read(path, format=format, on_error="skip"))
    except (DataError, RequestError):
        return
    assert all(d.text[m.start : m.end] == m.text for d in read for m in d.mentions)


# Choosing the format and the options -------------------------------------------------------------------------------------


def test_unknown_formats_and_options_that_do_not_fit_are_refused(tmp_path: Path):
    (tmp_path / "a.txt").write_text("gout")
    with pytest.raises(UnknownNameError, match="Did you mean 'pubtator'"):
        corpora.read(tmp_path / "a.txt", format="pubtater")
    with pytest.raises(UnknownNameError, match="Choose from"):
        corpora.write([], tmp_path / "b", format="word")
    with pytest.raises(RequestError, match="'stop' or 'skip'"):
        corpora.read(tmp_path / "a.txt", on_error="ignore")
    with pytest.raises(RequestError, match="line by line"):
        corpora.read(tmp_path / "a.txt", format="jsonl", by_line=True)


def test_texts_alone_are_refused_where_annotations_are_asked_for(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_text("Gout hurts.\n")
    with pytest.raises(
        DataError, match=r"a\.txt: read as 'text', a format without .* pubtator, .*table, texoo"
    ):
        corpora.read(path, annotated=True)
    assert [*corpora.read(path)]


def test_a_table_without_concepts_is_refused_where_annotations_are_asked_for(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text("id,name\n1,gout\n")
    with pytest.raises(RequestError, match=r"which column holds the concepts\? Columns: id, name"):
        list(corpora.read(path, annotated=True))
    assert [*corpora.read(path, column="name")]


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("\n\n7|t|Gout\n7|a|hurts\n", "pubtator"),
        ('{"id": "1", "text": "gout"}\n', "jsonl"),
        ('{"id": "1", "text": "gout", "mentions": []}\n', "jsonl"),
        ('{"id": "1", "text": "gout", "left": "a"}\n', "mentions"),
        ('{\n "documents": [{"id": "1", "text": "x", "annotations": []}]}', "texoo"),
        ('{\n "documents": [{"id": "1", "passages": []}]}', "biocjson"),
        ("<collection><document/></collection>", "bioc"),
        ("Gout B-Disease\nhurts O\n", "conll"),
        ("Gout hurts.\nAnd so does O\n", "text"),
        ("{gout} hurts", "text"),
        ("p < 0.05", "text"),
    ],
)
def test_the_format_is_told_from_the_content(tmp_path: Path, content: str, format: str):
    (tmp_path / "some.data").write_text(content)
    assert corpora.detect(tmp_path / "some.data") == format


@pytest.mark.parametrize("text", ["1|t|Gout\n1|a|x\n", '{"id": "1", "text": "gout"}\n'])
def test_what_is_utf_16_is_told_as_such_and_plain_text_read(tmp_path: Path, text: str):
    (tmp_path / "a").write_bytes(text.encode("utf-16"))
    with pytest.raises(DataError, match=r"UTF-16.*iconv -f utf-16 -t utf-8"):
        list(corpora.read(tmp_path / "a"))
    (tmp_path / "b").write_bytes("Gout.\r\n".encode("utf-16"))
    assert [one.text for one in corpora.read(tmp_path / "b")] == ["Gout.\r\n"]
    for mark in ("utf-16", "utf-8-sig"):
        (tmp_path / "c").write_bytes("".encode(mark))
        with pytest.raises(DataError):
            list(corpora.read(tmp_path / "c"))


def test_folders_and_empty_files_are_told_apart(tmp_path: Path):
    with pytest.raises(DataError, match=r"no \.ann, \.txt or \.xmi"):
        corpora.detect(tmp_path)
    (tmp_path / "a.txt").write_text("")
    assert corpora.detect(tmp_path) == "text"
    with pytest.raises(DataError, match="is empty"):
        corpora.detect(tmp_path / "a.txt")


@pytest.mark.parametrize("buffered", [True, False])
def test_standard_input_is_looked_at_without_being_used_up(monkeypatch: pytest.MonkeyPatch, buffered: bool):
    raw = io.BytesIO(b"7|t|Gout\n7|a|hurts\n")
    stream = io.TextIOWrapper(io.BufferedReader(raw) if buffered else raw)  # type: ignore[type-var]
    monkeypatch.setattr(sys, "stdin", stream)
    assert [d.text for d in corpora.read("-")] == ["Gout hurts"]


def test_skipping_everything_leaves_nothing_and_is_reported(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"text": 1.5, "mentions": 3}\n')
    reported: list[DataError] = []
    assert list(corpora.read(tmp_path / "a.jsonl", on_error="skip", report=reported.append)) == []
    assert len(reported) == 1
    assert not isinstance(reported[0], OffsetError)


@pytest.mark.data
@pytest.mark.parametrize("format", ["bioc", "biocjson", "brat", "jsonl", "texoo"])
def test_the_ncbi_disease_corpus_survives_a_conversion(data: Path, tmp_path: Path, format: str):
    corpus = list(corpora.read(data / "corpora" / "ncbi-disease" / "NCBIdevelopset_corpus.txt"))
    losses = corpora.write(corpus, tmp_path / ENDINGS.get(format, "out"), format=format)
    read = {d.id: d for d in corpora.read(tmp_path / ENDINGS.get(format, "out"))}
    assert [(d.text, d.mentions) for d in corpus] == [(read[d.id].text, read[d.id].mentions) for d in corpus]
    assert losses.counts.get("mention classes", 0) == (0 if format == "jsonl" else 787)
