"""Whether one more line makes another thing of a text: a note that is read as an article, or the other way round, or other links.

Each text gets a line before or behind it: a blank one, one of a note, one of an article, each drawn several times by seed. What is found in
the line itself does not count.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from linnet.link import Linker
from linnet.types import Document, LinkedDocument
from linnet.words.sentences import split_sentences

__all__ = ["Changed", "one_more_line", "rows"]

_TIMES = 4
_LEAST = 20  # characters of a line that says something
Changed = dict[str, list[int]]
"""By the added line: documents of another kind, documents with other links, all."""
_Answers = list[tuple[int, int, tuple[str, ...]]]


def one_more_line(
    texts: Sequence[str], linker: Linker, *, notes: Sequence[str], articles: Sequence[str], seed: int = 0
) -> Changed:
    """How many of the texts are read as another kind, and how many have other links; each counts as often as it gets a line.

    notes, articles  where lines are drawn from; the text itself gives none
    """
    texts = [text for text in texts for _ in range(_TIMES)]
    before = list(linker.annotate_many(texts))
    changed: Changed = {}
    for name, added in _additions(notes, articles, random.Random(seed)).items():
        lines = [added(text) for text in texts]
        for place in ("before", "behind"):
            is_first = place == "before"
            longer = [
                f"{line}\n{text}" if is_first else f"{text}\n{line}"
                for text, line in zip(texts, lines, strict=True)
            ]
            after = linker.annotate_many(longer)
            kinds = links = 0
            for line, old, new in zip(lines, before, after, strict=True):
                shift = len(line) + 1 if is_first else 0
                kinds += new.text_kind != old.text_kind
                links += _links(new, shift, len(old.text)) != _links(old, 0, len(old.text))
            changed[f"{name} {place}"] = [kinds, links, len(texts)]
    return changed


def rows(changed: Changed) -> Iterator[list[str]]:
    """The added line, documents of another kind and documents with other links, each of all, for a table."""
    for name, (kinds, links, documents) in changed.items():
        yield [name, f"{kinds} of {documents}", f"{links} of {documents}"]


def _additions(
    notes: Sequence[str], articles: Sequence[str], rng: random.Random
) -> dict[str, Callable[[str], str]]:
    note_lines = [line.strip() for text in notes for line in text.splitlines() if len(line.strip()) >= _LEAST]
    sentences = [
        text[start:end].strip()
        for text in articles
        for start, end in split_sentences(text)
        if end - start >= _LEAST
    ]

    def drawn(lines: Sequence[str]) -> Callable[[str], str]:
        def other(text: str) -> str:
            return next(line for line in iter(lambda: rng.choice(lines), None) if line not in text)

        return other

    return {
        "a blank line": lambda text: "",
        "a line of a note": drawn(note_lines),
        "a sentence of an article": drawn(sentences),
    }


def _links(document: LinkedDocument | Document, shift: int, length: int) -> _Answers:
    """Offsets in the text as it was, and concepts, of what lies in it."""
    return [
        (mention.start - shift, mention.end - shift, mention.concepts)
        for mention in document.mentions
        if mention.start >= shift and mention.end <= shift + length
    ]
