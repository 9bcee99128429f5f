"""The dictionary recogniser: looks names up in the text, and needs no training.

Every run of words within a sentence or clause is looked up in an exact index; of overlapping names the leftmost and longest
is kept. Short and common words must be spelt as in the terminology. An abbreviation that the document defines is a mention
everywhere if its long form is one, else nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain

import numpy as np

from linnet.batches import batches
from linnet.read.abbreviations.definitions import find_definitions
from linnet.read.shorthand import short_forms_in
from linnet.recognise.common_words import COMMON_WORDS
from linnet.recognise.coordination import coordinated_spans
from linnet.recognise.short_forms import short_form_spans, without_gene_symbols
from linnet.recognise.spans import Span, leftmost_longest
from linnet.recognise.terminology_names import TerminologyNames
from linnet.recognise.text_kind import is_note
from linnet.recognise.windows import Windows, windows_of
from linnet.recognise.words import Word, words_of
from linnet.types import Document, Mention
from linnet.words.text import LEVELS, simplify

__all__ = ["SPELLING", "DictionaryRecogniser"]

SPELLING = "spelling"
"""Source of mentions with a misspelt word."""

_CHARACTERS = 100_000  # of text whose windows, some thirty thousand, are looked up together
_CORRECTIONS = 50_000  # words whose corrected spelling is cached
_FEW_LETTERS = 3
_AND = re.compile(r", | and ")
_LEVELS = ("simplify", "key", "sense")
_ACRONYM = 5  # letters up to which a name in capitals counts as an acronym: "AIDS", not "aids"
_SPELLING_MATTERS = 12  # characters of a normal form up to which the spelling may matter
# Letters that a single word needs to match by its stem: "lesions" is "lesion", but "cats" is not "CAT".
_STEM_LETTERS = 5


@dataclass(slots=True)
class _Draft:
    """A document with its words and the windows to look up.

    others  further possible names with their offsets, and whether a misspelt word was corrected: expanded abbreviations
    """

    document: Document
    words: list[Word]
    windows: Windows
    others: list[tuple[int, int, str, bool]]


_WrittenOut = dict[int, tuple[int, str]]
"""Place of the first word → place behind the last, and what they are written out as."""

_KnownNames = dict[str, tuple[str, list[str]]]
"""Normal form of a name → its type and, if it is short, the terminology's spellings."""


class DictionaryRecogniser:
    """Finds the names of terminologies in text. Not changed by use."""

    name = "dictionary"

    def __init__(self, names: Sequence[TerminologyNames], *, shorthand: bool = False) -> None:
        """
        names      of each terminology; the first one with a name determines its type
        shorthand  also find names in clinical shorthand ("breast ca", "HTN"), much of which means something else elsewhere
        """
        self._names, self._shorthand = tuple(names), shorthand
        respelt = names[0].respelt if names else lambda text: None
        self._respelt = lru_cache(maxsize=_CORRECTIONS)(respelt)

    @property
    def types(self) -> frozenset[str]:
        """The types of the terminologies' concepts. A mention has the first type of its concept."""
        return frozenset[str]().union(*(names.types for names in self._names))

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order, without overlaps."""
        recognised: list[Document] = []
        for batch in batches(documents, characters=_CHARACTERS):
            drafts = [self._draft(document) for document in batch]
            columns = (
                chain.from_iterable(draft.windows.plain for draft in drafts),
                chain.from_iterable(map(_stems, drafts)),
                chain.from_iterable(draft.windows.senses for draft in drafts),
            )
            others = [text for draft in drafts for _, _, text, _ in draft.others]
            known = {
                level: self._find(chain(forms, map(LEVELS[level], others)), level)
                for level, forms in zip(_LEVELS, columns, strict=True)
            }
            recognised.extend(self._recognised(draft, known) for draft in drafts)
        return recognised

    def _draft(self, document: Document) -> _Draft:
        words, windows = words_of(document.text), windows_of(document.text)
        expanded = _expanded(document.text, words, windows, *self._written_out(document, words))
        return _Draft(document, words, windows, list(expanded))

    def _written_out(self, document: Document, words: Sequence[Word]) -> tuple[_WrittenOut, _WrittenOut]:
        """Short forms written out, and in notes misspelt words corrected."""
        if not self._shorthand:
            return {}, {}
        firsts = {word.start: i for i, word in enumerate(words)}
        ends = {word.end: i for i, word in enumerate(words, start=1)}
        found = {
            firsts[start]: (ends[end], long)
            for start, end, long in short_forms_in(document.text)
            if start in firsts and end in ends
        }
        corrected = {
            position: (position + 1, correction)
            for position, word in enumerate(words if is_note(document) else [])
            if position not in found and (correction := self._respelt(document.text[word.start : word.end]))
        }
        return found, corrected

    def common_type(self, texts: Sequence[str]) -> str | None:
        """The type of the last of several texts if all are names, else None."""
        type = None
        for text in texts:
            by_level = (self._find([LEVELS[level](text)], level) for level in _LEVELS)
            type = next((type for known in by_level for type, _ in known.values()), None)
            if type is None:
                return None
        return type

    def _find(self, forms: Iterable[str], level: str) -> _KnownNames:
        distinct = [form for form in dict.fromkeys(forms) if form]
        known: _KnownNames = {}
        for names in self._names:
            offsets, rows = names.lookup(distinct, level=level)
            bounds, name_rows = offsets.tolist(), rows.tolist()
            for position in np.flatnonzero(np.diff(offsets)).tolist():
                form = distinct[position]
                for row in name_rows[bounds[position] : bounds[position + 1]]:
                    type = names.type(row)
                    if type is None:
                        continue
                    spellings = known.setdefault(form, (type, []))[1]
                    if len(form) <= _SPELLING_MATTERS:
                        spellings.append(names.text(row))
        return known

    def _recognised(self, draft: _Draft, known: dict[str, _KnownNames]) -> Document:
        text, words = draft.document.text, draft.words
        spans: list[Span] = []
        free = 0
        as_written, by_stems, by_sense = (known[level] for level in _LEVELS)
        columns = draft.windows
        for first, last, plain, stems, senses in zip(
            columns.first, columns.last, columns.plain, _stems(draft), columns.senses, strict=True
        ):
            if first < free:
                continue
            hit = as_written.get(plain) or by_stems.get(stems) or by_sense.get(senses)
            if hit is None:
                continue
            start, end = words[first].start, words[last - 1].end
            type, spellings = hit
            if _is_trusted(text[start:end], plain, spellings, exact=plain in as_written):
                spans.append(Span(start, end, type))
                free = last
        spans += self._of_others(draft, known)
        spans = without_gene_symbols(text, leftmost_longest(spans))
        spans = short_form_spans(text, spans, self.common_type)
        spans = coordinated_spans(text, words, spans, self.common_type)
        respelt = {(start, end) for start, end, _, is_respelt in draft.others if is_respelt}
        mentions = []
        for start, end, type in spans:
            source = SPELLING if (start, end) in respelt else self.name
            mentions.append(Mention(draft.document, start, end, text[start:end], type, source=source))
        return draft.document.with_mentions(mentions)

    def _of_others(self, draft: _Draft, known: dict[str, _KnownNames]) -> Iterator[Span]:
        """The further possible names that are names, and brands whose drugs are ("Sinemet")."""
        for start, end, other, _ in draft.others:
            # Not by `sense`, which would drop "severe" from "severe PKU" but leave it in the mention.
            for level in _LEVELS[:2]:
                if name := known[level].get(LEVELS[level](other)):
                    yield Span(start, end, name[0])
                    break
            else:
                parts = [] if _AND.search(draft.document.text[start:end]) else _AND.split(other)
                if len(parts) > 1 and (type := self.common_type(parts)):
                    yield Span(start, end, type)


def _is_trusted(text: str, form: str, spellings: Sequence[str], *, exact: bool) -> bool:
    """Whether a name in the text is likely to mean the terminology's concept."""
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


def _stems(draft: _Draft) -> Iterator[str]:
    """Of each window; "" where it is no name by its stems."""
    windows = draft.windows
    return (stems or "" if whole else "" for stems, whole in zip(windows.stems, windows.whole, strict=True))


def _expanded(
    text: str, words: Sequence[Word], windows: Windows, written_out: _WrittenOut, corrected: _WrittenOut
) -> Iterator[tuple[int, int, str, bool]]:
    """Windows of short forms and other words, with the short forms expanded: "G6PD deficiency", defined in the text; "breast ca". And
    whether a word is `corrected`."""
    longs = {d.short: simplify(d.long) for d in reversed(find_definitions(text))}
    short = {
        i: (i + 1, longs[w]) for i, word in enumerate(words) if (w := text[word.start : word.end]) in longs
    }
    short = {**corrected, **written_out, **short}
    if not short:
        return
    before = list(accumulate((i in short for i in range(len(words))), initial=0))
    for first, last in zip(windows.first, windows.last, strict=True):
        if before[last] == before[first]:
            continue
        forms, at = list[str](), first
        while at < last:
            at, form = short.get(at, (at + 1, words[at].form))
            forms.append(form)
        if at == last and (len(forms) > 1 or text[words[first].start : words[last - 1].end] not in longs):
            is_respelt = not corrected.keys().isdisjoint(range(first, last))
            yield words[first].start, words[last - 1].end, " ".join(forms), is_respelt
