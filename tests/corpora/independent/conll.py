"""CoNLL: documents split at their marks, sentences at blank lines, tags put together from a string of letters."""

from __future__ import annotations

import re

from tests.corpora.mutations import Found, Unreadable

_BREAK = re.compile(r"^-DOCSTART-.*$", re.MULTILINE)


def parse(raw: bytes) -> list[Found]:
    text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    text = "\n".join(line.rstrip("\r") for line in text.split("\n"))
    marks = [match[0] for match in _BREAK.finditer(text)]
    first, *rest = _BREAK.split(text)
    parts = [*([("", first)] if first.strip() else []), *zip(marks, rest, strict=True)]
    documents = []
    for mark, part in parts:
        if part.strip() and (rows := [line for line in part.split("\n") if not _comment(line)]):
            name = mark.removeprefix("-DOCSTART-").strip().split("\t")[0].strip("()")
            id = "" if name.split(" ")[0] in ("", "-X-", "O") else name
            if any(line.strip() for line in rows):
                documents.append(_document(id or str(len(documents) + 1), "\n".join(rows)))
    return documents


def _comment(line: str) -> bool:
    cells = line.split("\t") if "\t" in line else line.split()
    tag = re.fullmatch(r"(?:O|[BIESLUMW](?:[-_:]\S.*)?)", cells[-1].strip()) if len(cells) > 1 else None
    return line.startswith("#") and tag is None


def _document(id: str, rows: str) -> Found:
    words: list[str] = []
    spans: list[tuple[int, int, str]] = []
    text = ""
    for sentence in re.split(r"(?:\n[^\S\n]*)+\n", "\n" + rows + "\n"):
        state = ""
        for place, line in enumerate(line for line in sentence.split("\n") if line.strip()):
            cells = line.split("\t") if "\t" in line else line.split()
            if len(cells) < 2:
                raise Unreadable(f"one column: {line!r}")
            word, tag = "\u00a0".join(cells[0].split()), cells[-1].strip()
            text += (("\n" if not place else " ") if words else "") + word
            words.append(word)
            letter, type = tag[:1], tag[2:].strip()
            if letter in "IMEL" and state == f"open {type}":
                spans[-1] = (spans[-1][0], len(text), type)
            elif letter != "O":
                spans.append((len(text) - len(word), len(text), type))
            state = f"open {type}" if letter in "BIM" else ""
    return Found(id, tuple(sorted((s, e, " ".join(text[s:e].split()), False) for s, e, _ in spans)))
