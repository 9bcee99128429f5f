"""Mentions found by looking names up: works on raw text before any tagger is trained.

Every run of words that does not cross a sentence or clause is looked up in an exact index; of what is found the leftmost
and longest is kept. Short and common words must be spelt as the terminology spells them. An abbreviation that
the document defines is a mention wherever its long form is one, and nowhere else.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain

import numpy as np

from linnet.batches import batches
from linnet.recognise.common_words import COMMON_WORDS
from linnet.recognise.coordination import listed_spans
from linnet.recognise.definitions import Brackets, Definition
from linnet.recognise.names import Names
from linnet.recognise.short_forms import short_form_spans, without_gene_symbols
from linnet.recognise.spans import Span, leftmost_longest
from linnet.recognise.words import Word, words_of
from linnet.text import LEVELS, sense, simplify
from linnet.types import Document, Mention

__all__ = ["DictionaryRecogniser"]

_CHARACTERS = 100_000  # characters whose windows are looked up together: some thirty thousand
_LONGEST = 8  # words; of the names of MEDIC and MeSH 1 % are longer, and hardly ever written out
_FEW_LETTERS = 3
_LEVELS = ("simplify", "key", "sense")
_ANY_DISEASE = sense("disease")  # "lesion", "disorder": as vague as a single word gets
_SENSE_WORDS = 3  # longer windows are not looked up by what their words mean
_ACRONYM = 5  # letters up to which a name written with capitals is taken for an acronym: "AIDS", not "aids"
_SPELT_OUT = 12  # characters of a normal form up to which the spelling may matter
# A single word found only by its stem needs this many letters: "lesions" is "lesion", but "cats" not "CAT".
_STEM_LETTERS = 5


@dataclass(slots=True)
class _Windows:
    """Runs of words that may be names, in columns: millions of small tuples would keep the garbage collector busy.

    first, last           the words of each, `last` exclusive; by first word, the longest one first
    plain, stems, senses  their normal forms at each of `_LEVELS`, "" where only the words as they stand should count
    """

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    stems: list[str] = field(default_factory=list)
    senses: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Draft:
    """A document on its way: its words and the windows to look up.

    others  further names with their offsets: abbreviations spelt out, names across brackets
    """

    document: Document
    words: list[Word]
    brackets: Brackets
    definitions: list[Definition]
    windows: _Windows
    others: list[tuple[int, int, str]] = field(default_factory=list)


_Found = dict[str, tuple[str, list[str]]]
"""Normal forms that are names → their type and, for short ones, the terminology's spellings."""


class DictionaryRecogniser:
    """Finds the names of terminologies in text. Not changed by use."""

    name = "dictionary"

    def __init__(self, names: Sequence[Names]) -> None:
        """names: of each terminology; where several have a name, the first one's type counts."""
        self._names = tuple(names)

    @property
    def types(self) -> frozenset[str]:
        """The types of the terminologies' concepts. A mention has the first one of its concept."""
        return frozenset[str]().union(*(names.types for names in self._names))

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """The documents with the mentions found in them, in text order and without overlaps; theirs are replaced."""
        found: list[Document] = []
        for batch in batches(documents, characters=_CHARACTERS):
            drafts = [_draft(document) for document in batch]
            columns = (
                chain.from_iterable(draft.windows.plain for draft in drafts),
                chain.from_iterable(draft.windows.stems for draft in drafts),
                chain.from_iterable(draft.windows.senses for draft in drafts),
            )
            others = [text for draft in drafts for _, _, text in draft.others]
            known = {
                level: self._find(chain(forms, map(LEVELS[level], others)), level)
                for level, forms in zip(_LEVELS, columns, strict=True)
            }
            found.extend(self._recognised(draft, known) for draft in drafts)
        return found

    def common_type(self, texts: Sequence[str]) -> str | None:
        """The type of the last of several texts, when all of them are names; None otherwise."""
        kind = None
        for text in texts:
            kinds = (self._find([LEVELS[level](text)], level) for level in _LEVELS)
            kind = next((kind for found in kinds for kind, _ in found.values()), None)
            if kind is None:
                return None
        return kind

    def _find(self, forms: Iterable[str], level: str) -> _Found:
        wanted = [form for form in dict.fromkeys(forms) if form]
        found: _Found = {}
        for names in self._names:
            offsets, rows = names.lookup(wanted, level=level)
            bounds, name_rows = offsets.tolist(), rows.tolist()
            for place in np.flatnonzero(np.diff(offsets)).tolist():
                form = wanted[place]
                for row in name_rows[bounds[place] : bounds[place + 1]]:
                    kind = names.type(row)
                    if kind is None:
                        continue
                    spellings = found.setdefault(form, (kind, []))[1]
                    if len(form) <= _SPELT_OUT:
                        spellings.append(names.text(row))
        return found

    def _recognised(self, draft: _Draft, known: dict[str, _Found]) -> Document:
        text, words = draft.document.text, draft.words
        spans: list[Span] = []
        free = 0
        as_written, by_stems, by_sense = (known[level] for level in _LEVELS)
        runs = draft.windows
        for first, last, plain, stems, senses in zip(
            runs.first, runs.last, runs.plain, runs.stems, runs.senses, strict=True
        ):
            if first < free:
                continue
            hit = as_written.get(plain) or by_stems.get(stems) or by_sense.get(senses)
            if hit is None:
                continue
            start, end = words[first].start, words[last - 1].end
            kind, spellings = hit
            if _trusted(text[start:end], plain, spellings, exact=plain in as_written):
                spans.append(Span(start, end, kind))
                free = last
        for start, end, other in draft.others:
            # Not by `sense`, which would drop "severe" from "severe PKU" and still take it into the mention.
            for level in _LEVELS[:2]:
                if form := known[level].get(LEVELS[level](other)):
                    spans.append(Span(start, end, form[0]))
                    break
        spans = without_gene_symbols(text, leftmost_longest(spans))
        spans = short_form_spans(text, draft.brackets, spans, self.common_type)
        spans = listed_spans(text, words, spans, self.common_type)
        mentions = [
            Mention(draft.document, s.start, s.end, text[s.start : s.end], s.type, source=self.name)
            for s in spans
        ]
        return draft.document.with_mentions(mentions)


def _trusted(text: str, form: str, spellings: Sequence[str], *, exact: bool) -> bool:
    """Whether a name found here means what the terminology means by it."""
    letters = sum(c.isalpha() for c in text)
    if not letters:
        return False
    if " " in form:
        return letters > _FEW_LETTERS or text in spellings
    if form in COMMON_WORDS:
        return not text.islower() and text in spellings
    if not exact and len(form) < _STEM_LETTERS:
        return False
    acronym = (
        bool(spellings) and all(sum(c.isupper() for c in s) > 1 for s in spellings) and letters <= _ACRONYM
    )
    return text in spellings if letters <= _FEW_LETTERS or acronym else True


def _draft(document: Document) -> _Draft:
    text = document.text
    words = words_of(text)
    brackets = Brackets.of(text)
    draft = _Draft(document, words, brackets, brackets.definitions(), _windows(words))
    draft.others = [*_expanded(draft), *_across_brackets(draft)]
    return draft


def _windows(words: Sequence[Word]) -> _Windows:
    """The windows of words that begin and end at an edge and that no break parts."""
    found = _Windows()
    add_first, add_last = found.first.append, found.last.append
    for first, word in enumerate(words):
        if not word.edge:
            continue
        begin = len(found.plain)
        plain, stems, senses = "", list[str](), set[str]()
        whole = sensible = True
        for last, (_, _, form, own_stems, own_senses, edge, breaks, comma) in enumerate(
            words[first : first + _LONGEST], start=first + 1
        ):
            if last == first + 1:
                plain = form
            elif breaks:
                break
            else:
                plain = f"{plain} {form}"
                whole = whole and not comma
            if whole:
                for stem in own_stems:
                    whole = whole and stem not in stems  # "asthma asthma" is no name
                    insort(stems, stem)
                sensible = sensible and own_senses is not None and last - first <= _SENSE_WORDS
                if sensible and own_senses:
                    senses.update(own_senses)
            if edge:
                add_first(first)
                add_last(last)
                found.plain.append(plain)
                found.stems.append(" ".join(stems) if whole else "")
                by_sense = " ".join(sorted(senses)) if whole and sensible else ""
                found.senses.append("" if by_sense == _ANY_DISEASE else by_sense)
        found.last[begin:] = found.last[begin:][::-1]
        for column in (found.plain, found.stems, found.senses):
            column[begin:] = column[begin:][::-1]
    return found


def _expanded(draft: _Draft) -> Iterator[tuple[int, int, str]]:
    """Windows that hold a defined short form beside other words, with it spelt out: "G6PD deficiency"."""
    longs = {d.short: simplify(d.long) for d in reversed(draft.definitions)}
    text, words = draft.document.text, draft.words
    short = {i: longs[w] for i, word in enumerate(words) if (w := text[word.start : word.end]) in longs}
    if not short:
        return
    before = list(accumulate((i in short for i in range(len(words))), initial=0))
    for first, last in zip(draft.windows.first, draft.windows.last, strict=True):
        if last - first > 1 and before[last] > before[first]:
            form = " ".join([short.get(i, words[i].form) for i in range(first, last)])
            yield words[first].start, words[last - 1].end, form


def _across_brackets(draft: _Draft) -> Iterator[tuple[int, int, str]]:
    """Windows across the bracket that defines an abbreviation: "von Hippel-Lindau (VHL) disease"."""
    words = draft.words
    starts = [word.start for word in words]
    for d in draft.definitions:
        if d.long_end > d.short_start:
            continue
        long = range(bisect_left(starts, d.long_start), bisect_left(starts, d.long_end))
        after = bisect_left(starts, d.short_end)
        gap = draft.document.text[d.short_end : starts[after]] if after < len(words) else ""
        if not long or gap not in (") ", "] "):
            continue
        for last in range(after + 1, min(after + 4, len(words)) + 1):
            if (last > after + 1 and words[last - 1].breaks) or not words[last - 1].edge:
                break
            form = " ".join(word.form for word in (*words[long.start : long.stop], *words[after:last]))
            yield starts[long.start], words[last - 1].end, form
