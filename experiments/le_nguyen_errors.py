"""Where Le & Nguyen's systems are wrong: by the training mentions of a concept, by how a mention is written, by what the answer is.

    python experiments/le_nguyen_errors.py [RUN.toml] [--work DIR] [--report]      (LINNET_DATA says where corpora and terminologies are)

Does the static runs that `le_nguyen.py` would do and are not done yet, takes those of the transformers from experiments/results, and
writes docs/results/le-nguyen-errors.md. All kinds are computed from corpora, names and hierarchies; nothing is judged by hand. The
paper has such an analysis of concepts with few training mentions (§5.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import le_nguyen_transformers as transformers
import numpy as np
from harness import execute
from le_nguyen import run
from le_nguyen_frame import RETRIEVAL, SRN, Frame, short
from le_nguyen_plan import PLAN, Part, Plan
from le_nguyen_tables import Tables
from paper_corpora import TITLES, with_parents
from result_tables import Array, markdown, percent

from linnet.evaluate.hierarchy import RELATIONS, Hierarchy
from linnet.terminology import Terminology
from linnet.train.clusters import LinkedCandidates
from linnet.words.text import simplify

# Training mentions of a concept: the fewest of each group.
_FREQUENCIES = {0: "none", 1: "1 or 2", 3: "3 to 10", 11: "11 to 50", 51: "more than 50"}
_WRITTEN = (
    "a name of the concept alone",
    "a name of it and of others",
    "a name of others alone",
    "a short form, not spelt out",
    "a name and more words",
    "a part of a name",
    "some words of a name",
    "no word of a name",
)
_MISSED = "no candidate"
_LONGEST = 6  # letters of a short form


def by_frequency(frame: Frame) -> str:
    """Acc@1 by the nearest candidate, of concepts with few and many training mentions."""
    first, last, rows = frame.objectives[0], frame.objectives[-1], []
    for part in frame.parts:
        dev, learnt = frame.dev(part), np.concatenate([some.gold for some in frame.learnt(part)])
        counts = np.bincount(learnt, minlength=1 + int(dev.gold.max()))[dev.gold]
        groups = np.searchsorted([*_FREQUENCIES], counts, side="right") - 1
        for number, title in enumerate(_FREQUENCIES.values()):
            if (inside := groups == number).any():
                right = {kind: frame.right(part, kind).of(inside) for kind in (RETRIEVAL, *frame.objectives)}
                cells = (*(one.mean for one in right.values()), right[last] - right[first])
                rows.append((_title(part), f"{title} ({inside.sum():,})", *cells))
    kinds = (*map(short, (RETRIEVAL, *frame.objectives)), f"{short(last)} − {short(first)}")
    return markdown(("corpus", "training mentions of the concept (dev mentions)", *kinds), rows)


def by_writing(frame: Frame) -> str:
    """Mistakes with retrieval's score, mean over seeds, of mentions that stand so to the names of their concept."""
    texts = []
    for part in frame.parts:
        kinds, rows = written(frame.dev(part), frame.terminology(part)), []
        columns = [frame.right(part, RETRIEVAL).flags]
        columns += [frame.flags(part, kind, "combined") for kind in frame.objectives]
        for number, title in [*enumerate(_WRITTEN), (-1, "all")]:
            inside = kinds == number if number >= 0 else kinds >= 0
            wrong = ((~flags[:, inside]).sum(1).mean() for flags in columns)
            rows.append((title, f"{inside.sum():,}", *(f"{count:.0f}" for count in wrong)))
        head = ("the mention is …", "mentions", *map(short, (RETRIEVAL, *frame.objectives)))
        texts.append(f"### {_title(part)}\n\n{markdown(head, rows)}")
    return "\n".join(texts)


def by_answer(tables: Tables) -> str:
    """What the answer is of the right concept, in the hierarchy, % of the mistakes with retrieval's score."""
    kinds, rows = (_MISSED, *RELATIONS[1:]), []
    for part in tables.parts:
        dev, here = tables.dev(part), tables.terminology(part)
        tree, missed = hierarchy(here), ~(dev.candidates == dev.gold[:, None]).any(1)
        for column, found in tables.answers(part).items():
            counts: Counter[str] = Counter()
            for seed, i in np.argwhere(found != dev.gold).tolist():
                gold, answer = here.ids.take([int(dev.gold[i]), int(found[seed, i])])
                counts[_MISSED if missed[i] else tree.relation(gold, answer)] += 1
            total = counts.total()
            shares = (percent(counts[kind] / total) for kind in kinds)
            title = _title(part)
            rows.append((title, short(column), f"{total / len(found):.0f}", *shares))
    return markdown(("corpus", "system", "mistakes", *(f"{kind}, %" for kind in kinds)), rows)


def _title(part: Part) -> str:
    return TITLES[part[0]].partition(" (")[0] + ("" if part[1] == "dense" else f", {part[1]}")


@cache
def hierarchy(here: Terminology) -> Hierarchy:
    """With the parents that MeSH, Mondo and DO give its concepts."""
    concepts, _ = with_parents(list(here))
    parents = {concept.id: concept.parents for concept in concepts}
    return Hierarchy(lambda id: parents.get(id, ()))


def written(dev: LinkedCandidates, here: Terminology) -> Array:
    """(M,) which of `_WRITTEN` a mention is, abbreviations spelt out; the first that holds."""
    owners: dict[str, set[int]] = {}
    for name, concept in zip(here.names, here.name_concepts.tolist(), strict=True):
        owners.setdefault(simplify(name), set()).add(concept)
    kinds = []
    for mention, text, gold in zip(dev.linked.mentions, dev.linked.texts, dev.gold.tolist(), strict=True):
        form = simplify(text)
        named, words = owners.get(form, set()), set(form.split())
        names = [set(simplify(name).split()) for name in here.names.take(here.name_rows(gold))]
        kinds.append(_kind(named, gold, words, names, short_form=text == mention.text and is_short(text)))
    return np.array(kinds)


def _kind(named: set[int], gold: int, words: set[str], names: Sequence[set[str]], *, short_form: bool) -> int:
    if gold in named:
        return int(len(named) > 1)
    if named:
        return 2
    if short_form:
        return 3
    if any(name < words for name in names):
        return 4
    if any(words < name for name in names):
        return 5
    return 6 if any(words & name for name in names) else 7


def is_short(text: str) -> bool:
    """Whether a text looks like a short form: one word of few characters, most of them capitals or digits."""
    return (
        len(text) <= _LONGEST
        and text.isalnum()
        and 2 * sum(c.isupper() or c.isdigit() for c in text) > len(text)
    )


def tables(plan: Plan) -> dict[str, str] | None:
    """Of the runs that are there."""
    static, given = Tables(plan), transformers.read(transformers.PLAN)
    static.parts = [
        part for part in static.parts if all(static.runs(part, kind) for kind in static.objectives)
    ]
    learnt = transformers.Tables(transformers.runs_of(given))
    made = {"by_frequency": by_frequency(learnt), "by_writing": by_writing(learnt)}
    if static.parts:
        seeds = {len(static.runs(part, SRN)) for part in static.parts}
        made |= {"static_seeds": " or ".join(map(str, sorted(seeds))), "by_answer": by_answer(static)}
        made |= {"static_by_frequency": by_frequency(static), "static_by_writing": by_writing(static)}
    return made


if __name__ == "__main__":
    execute(__doc__, "le-nguyen-errors", PLAN, read=Plan, run=run, tables=tables)
