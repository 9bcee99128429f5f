"""Strings as people keep them, composed from the names of a terminology, with the concepts that they mean.

The reader (`linnet.train.tasks.reader`) learns from them on any terminology, without annotated strings. Nothing of a real
table is in them: the qualifiers, connectives and non-names were written for this project.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from linnet.read.shorthand import short_forms_of
from linnet.train.composed_parts import (
    AFTER,
    BEFORE,
    DENIED,
    DENIED_LISTS,
    DENYING,
    DOSES,
    ENDING_DENIAL,
    FIRST,
    JOINTS,
    LAST,
    PLACEHOLDERS,
    PRODUCTS,
    SEPARATORS,
    THINGS,
)
from linnet.types import Concept
from linnet.words.semantic_groups import Group, group_of_concept
from linnet.words.text import simplify

__all__ = ["KINDS", "ComposedString", "compose", "misspelt", "qualified"]


class ComposedString(NamedTuple):
    """A string, the ids of the concepts that it means (sorted, none for NIL), and its kind, of `KINDS`."""

    text: str
    concepts: tuple[str, ...]
    kind: str


KINDS = (
    "name", "list", "partly", "shared", "joined", "explained", "qualified", "turned", "typo", "shorthand", "nil", "foreign",
    "headed",
)  # fmt: skip
"""name       as in the terminology, or held out of it
list       two to six names with separators
partly     names with separators, and between them what names nothing that the terminology has
shared     two names that share their beginning or end, written once
joined     two names and a connective: "with", "due to", "s/p"
explained  a name, or its initials, and behind it in brackets another of its concept
qualified  a name with marks and words that it does not have
turned     one name with its last words first and a comma behind them, or broken over two lines
typo       a name with one letter wrong
shorthand  a clinical short form of a name
nil        what a string denies, things of everyday life, people, placeholders
foreign    the name of a thing that the terminology does not have, every other one of them part of a name that it has
headed     the name of a disorder with a word behind it that makes something else of it: "measles vaccine", "gout receptor"
"""


def compose(
    concepts: Iterable[Concept],
    *,
    count: int,
    seed: int,
    held_out: Sequence[tuple[str, str]] = (),
    foreign: Sequence[str] = (),
    share: float = 1 / 3,
) -> list[ComposedString]:
    """`count` strings, an equal number of each kind as far as the names allow; the same for the same arguments.

    concepts  of the terminology that the strings will be linked to
    held_out  names that the terminology does not have, with the id of their concept in it
    foreign   names of things that the terminology does not have
    share     of the names that strings are composed of, those held out, if there are any
    """
    return _Composer(concepts, held_out, foreign, seed, share).strings(count)


def qualified(name: str, chance: random.Random) -> str:
    """A name with a dose, or with words before or after it that describe a case: "known Dorn fever (2018)"."""
    way = chance.random()
    if way < 0.15:
        return name + chance.choice(DOSES)
    if way < 0.7:
        name = f"{chance.choice(BEFORE)} {name}"
    if way > 0.5:
        after = chance.choice(AFTER)
        name += after if after[0] == "," else f" {after}"
    return name


def misspelt(name: str, chance: random.Random) -> str | None:
    """A name with one letter left out, added, replaced or exchanged with the next; None for a short name."""
    at = chance.randrange(1, max(2, len(name) - 1))
    before, letter, after = name[:at], name[at : at + 1], name[at + 1 :]
    if len(name) < 7 or not letter.isalpha():
        return None
    other = chance.choice("abcdefghijklmnopqrstuvwxyz")
    exchanged = before + after[:1] + letter + after[1:]
    return chance.choice((before + after, before + other + letter + after, before + other + after, exchanged))


class _Composer:
    def __init__(
        self,
        concepts: Iterable[Concept],
        held_out: Sequence[tuple[str, str]],
        foreign: Sequence[str],
        seed: int,
        share: float,
    ) -> None:
        self._chance, self._share = random.Random(seed), share
        owners: dict[str, set[str]] = defaultdict(set)
        self._disorders: list[str] = []
        # A short form that is only a synonym of something else means rather what it nearly always means.
        preferred: set[str] = set()
        written: dict[str, str] = {}
        for concept in concepts:
            if not concept.name:
                continue
            if group_of_concept(concept.types, concept.id) & (Group.DISEASE | Group.PHENOTYPE):
                self._disorders.append(concept.name)
            preferred.add(simplify(concept.name))
            for name in concept.all_names:
                form = simplify(name)
                owners[form].add(concept.id)
                written.setdefault(form, name)
        self._forms = set(owners)
        self._names = sorted(
            (written[form], min(ids))
            for form, ids in owners.items()
            if len(ids) == 1 and _is_usual(written[form])
        )
        self._held_out = [(name, id) for name, id in held_out if _is_usual(name)]
        self._others: dict[str, list[str]] = defaultdict(list)
        for name, id in self._names:
            self._others[id].append(name)
        self._foreign_names = [
            name for name in foreign if simplify(name) not in self._forms and _is_usual(name)
        ]
        self._inside = _inside(self._foreign_names, self._forms)
        self._by_end: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name, id in self._names:
            words = name.split()
            if 2 <= len(words) <= 4 and words[-1].isalpha() and len(words[-1]) > 3:
                self._by_end[words[-1].casefold()].append((name, id))
        self._ends = [end for end, names in sorted(self._by_end.items()) if len(names) > 1]
        # Last words with which a name is no longer that of a thing that the terminology has.
        self._foreign_ends = sorted(set(map(_last_word, self._foreign_names)) - {""} - self._by_end.keys())
        self._short = [
            (short, id)
            for name, id in self._names
            for short in short_forms_of(name)
            if simplify(short) not in preferred
        ]

    def strings(self, count: int) -> list[ComposedString]:
        made: dict[str, ComposedString] = {}
        attempts = 0
        while len(made) < count and attempts < 20 * count:
            kind = KINDS[attempts % len(KINDS)]
            attempts += 1
            composed = getattr(self, f"_{kind}")()
            if composed is None:
                continue
            text, ids = composed
            if simplify(text) in self._forms and kind not in ("name", "shorthand"):
                continue
            made.setdefault(text, ComposedString(text, tuple(sorted(set(ids))), kind))
        return list(made.values())

    def _any_name(self) -> tuple[str, str]:
        """A name with its concept, held out or in the terminology."""
        if self._held_out and self._chance.random() < self._share:
            return self._chance.choice(self._held_out)
        return self._chance.choice(self._names)

    def _cased(self, text: str) -> str:
        way = self._chance.random()
        if way < 0.25:
            return text.lower()
        return text[:1].upper() + text[1:] if way < 0.5 else text

    def _name(self) -> tuple[str, list[str]] | None:
        name, id = self._chance.choice(self._held_out) if self._held_out else self._any_name()
        return self._cased(name), [id]

    def _list(self) -> tuple[str, list[str]] | None:
        separator = self._chance.choice(SEPARATORS)
        size = self._chance.choice((2, 2, 2, 3, 3, 4, 6))
        # Common things have short names, of which a list looks most like one name.
        is_short = self._chance.random() < 0.5
        if is_short:
            separator, size = self._chance.choice((", ", ", ", "/", separator)), 2
        names = [self._plain(words=2 if is_short else None) for _ in range(size)]
        if not is_short and self._chance.random() < 0.15:
            return " ".join(f"{i}. {name}" for i, (name, _) in enumerate(names, 1)), [id for _, id in names]
        return separator.join(name for name, _ in names), [id for _, id in names]

    def _partly(self) -> tuple[str, list[str]] | None:
        names = [self._plain() for _ in range(self._chance.choice((1, 1, 2, 2, 3)))]
        separators: Sequence[str] = SEPARATORS
        items = [(name, [id]) for name, id in names]
        for _ in range(self._chance.choice((1, 1, 1, 2))):
            way = self._chance.random()
            foreign = self._foreign_name() if way < 0.3 else None
            if way < 0.6:
                nothing = self._nil()[0] if foreign is None else foreign
            else:
                nothing, separators = f"{self._chance.choice(DENYING)} {self._plain()[0]}", ENDING_DENIAL
            items.insert(self._chance.randrange(len(items) + 1), (nothing, []))
        separator = self._chance.choice(separators)
        return separator.join(text for text, _ in items), [id for _, ids in items for id in ids]

    def _denied(self) -> str:
        name, way = self._plain()[0], self._chance.random()
        if way < 0.3:
            return self._chance.choice(DENIED_LISTS).format(name, self._plain()[0])
        if way < 0.6:
            return f"{self._chance.choice(DENYING)} {name}"
        return self._chance.choice(DENIED).format(name)

    def _turned(self) -> tuple[str, list[str]] | None:
        name, id = self._any_name()
        words = name.split()
        if len(words) < 2 or "," in name:
            return None
        position = self._chance.randrange(1, len(words))
        first, last = " ".join(words[:position]), " ".join(words[position:])
        return (f"{last}, {first}" if self._chance.random() < 0.6 else f"{first}\n{last}"), [id]

    def _plain(self, *, words: int | None = None) -> tuple[str, str]:
        """A name that holds no separator itself, of at most so many words."""
        for _ in range(50):
            name, id = self._any_name()
            if words is not None and len(name.split()) > words:
                continue
            if not any(c in name for c in ",;/&+|()") and not {"and", "or", "with"} & set(
                name.lower().split()
            ):
                return self._cased(name), id
        return name, id

    def _shared(self) -> tuple[str, list[str]] | None:
        if not self._ends:
            return None
        (one, first), (other, second) = self._chance.sample(self._by_end[self._chance.choice(self._ends)], 2)
        start = " ".join(one.split()[:-1])
        if first == second or any(c in one + other for c in ",;/&()") or " and " in f" {one} {other} ":
            return None
        return f"{start}{self._chance.choice((' and ', '/', ' or ', ' & '))}{other}", [first, second]

    def _joined(self) -> tuple[str, list[str]] | None:
        (one, first), (other, second) = self._plain(), self._plain()
        return one + self._chance.choice(JOINTS) + other, [first, second]

    def _explained(self) -> tuple[str, list[str]] | None:
        name, id = self._any_name()
        if len(name.split()) > 1 and self._chance.random() < 1 / 3:
            short = "".join(word[0] for word in name.split())
            return f"{self._chance.choice((short, short.upper()))} ({self._cased(name)})", [id]
        others = [other for other in self._others.get(id, ()) if other != name]
        if not others or "(" in name:
            return None
        return f"{self._cased(name)} ({self._cased(self._chance.choice(others))})", [id]

    def _qualified(self) -> tuple[str, list[str]] | None:
        name, id = self._plain()
        return qualified(name, self._chance), [id]

    def _typo(self) -> tuple[str, list[str]] | None:
        name, id = self._plain()
        wrong = misspelt(name, self._chance)
        return None if wrong is None else (wrong, [id])

    def _shorthand(self) -> tuple[str, list[str]] | None:
        if not self._short:
            return None
        short, id = self._chance.choice(self._short)
        if self._chance.random() < 0.4:
            mark = self._chance.choice(BEFORE)
            return f"{mark} {short}", [id]
        if self._chance.random() < 0.5:
            other, second = self._chance.choice(self._short)
            return f"{short}{self._chance.choice(SEPARATORS)}{other}", [id, second]
        return short, [id]

    def _nil(self) -> tuple[str, list[str]]:
        way = self._chance.random()
        if way < 0.5:
            return self._denied(), []
        if way < 0.7:
            return self._chance.choice(THINGS), []
        if way < 0.85:
            return f"{self._chance.choice(FIRST)} {self._chance.choice(LAST)}", []
        return self._chance.choice(PLACEHOLDERS), []

    def _foreign(self) -> tuple[str, list[str]] | None:
        name = self._foreign_name()
        return None if name is None else (name, [])

    def _headed(self) -> tuple[str, list[str]] | None:
        if not self._disorders:
            return None
        heads = PRODUCTS if not self._foreign_ends or self._chance.random() < 0.4 else self._foreign_ends
        return f"{self._cased(self._chance.choice(self._disorders))} {self._chance.choice(heads)}", []

    def _foreign_name(self) -> str | None:
        if not self._foreign_names:
            return None
        inside = self._inside and self._chance.random() < 0.5
        return self._cased(self._chance.choice(self._inside if inside else self._foreign_names))


def _inside(names: Iterable[str], forms: Iterable[str]) -> list[str]:
    """The names all of whose words a form of the terminology has, among others."""
    having: dict[str, set[int]] = defaultdict(set)
    for number, form in enumerate(forms):
        for word in form.split():
            having[word].add(number)
    words = {name: sorted(map(having.__getitem__, simplify(name).split()), key=len) for name in names}
    return [name for name, of_words in words.items() if of_words and set.intersection(*of_words)]


def _last_word(name: str) -> str:
    """The last of several words, in lower case, if it is one of letters; otherwise ""."""
    words = name.lower().split()
    return words[-1] if len(words) > 1 and len(words[-1]) > 3 and words[-1].isalpha() else ""


def _is_usual(name: str) -> bool:
    """Whether a name is one that people would write in a cell: letters mostly, up to seven words."""
    letters = sum(c.isalpha() or c.isspace() for c in name)
    return 4 <= len(name) <= 60 and letters >= 0.85 * len(name) and len(name.split()) <= 7
