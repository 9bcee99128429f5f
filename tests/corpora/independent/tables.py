"""CSV and TSV with the columns `phrase` and `concept`, read letter by letter."""

from __future__ import annotations

from tests.corpora.mutations import Found, Unreadable, single_spaced

_NONE = {"", "-", "-1"}


def parse(raw: bytes, separator: str) -> list[Found]:
    rows = _rows(raw.decode("utf-8-sig"), separator)
    header, *body = [row for row in rows if row != [""]]
    if not {"phrase", "concept"} <= set(header):
        raise Unreadable("another header")
    found = []
    for number, row in enumerate(body, 1):
        if len(row) != len(header):
            raise Unreadable(f"row {number} has {len(row)} cells")
        cells = dict(zip(header, row, strict=True))
        phrase = cells["phrase"]
        start = len(phrase) - len(phrase.lstrip())
        concept = any(id.strip() not in _NONE for id in cells["concept"].split("|"))
        span = (start, start + len(phrase.strip()), single_spaced(phrase), concept)
        found.append(Found(str(number), (span,) if phrase.strip() else ()))
    return found


def _rows(text: str, separator: str) -> list[list[str]]:
    rows, cell, quoted, fresh = [[""]], "", False, True
    letters = iter(text.replace("\r\n", "\n") + "\n")
    for letter in letters:
        if quoted:
            quoted = letter != '"'
            cell += letter if quoted else ""
            if not quoted:
                fresh = False
        elif letter == '"' and (fresh or cell == ""):
            quoted, fresh = True, False
        elif letter in (separator, "\n"):
            rows[-1][-1] = cell
            cell, fresh = "", True
            if letter == "\n":
                rows.append([""])
            else:
                rows[-1].append("")
        else:
            cell, fresh = cell + letter, False
    return rows[:-1]
