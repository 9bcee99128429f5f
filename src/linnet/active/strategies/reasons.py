"""Why a document has its place in the queue, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from linnet.active.strategies.pool import Pool, Unlabelled
from linnet.plural import counted
from linnet.words.text import simplify

__all__ = ["explain", "reasons"]

_MAX_CHARACTERS = 60  # characters of a quoted mention

Reasons = Callable[[Pool, Sequence[int]], list[str]]
"""`reasons(pool, order)`: a sentence for each document, in the order of `order`."""


def explain(strategy: str, pool: Pool, order: Sequence[int]) -> list[str]:
    """Why documents have their places, in the order of `order`; of a strategy without reasons, its name."""
    if strategy in reasons:
        return reasons[strategy](pool, order)
    return [f"The strategy {strategy} put it here." for _ in order]


def _by_confidence(pool: Pool, order: Sequence[int]) -> list[str]:
    return [_least_sure(pool.documents[place]) for place in order]


def _by_new_text(pool: Pool, order: Sequence[int]) -> list[str]:
    known = {simplify(text) for text in pool.known}
    said = []
    for place in order:
        document = pool.documents[place]
        fresh = {form: sure for form, sure in document.forms().items() if form not in known}
        known |= fresh.keys()
        if fresh:
            said.append(
                _least_sure(document, set(fresh), what="The new text that the model is least sure of")
            )
        else:
            said.append(_nothing_new(document))
    return said


def _by_doubt(pool: Pool, order: Sequence[int]) -> list[str]:
    known = {simplify(text) for text in pool.known}
    waiting = Counter(form for document in pool.documents for form in document.forms())
    said = []
    for place in order:
        document = pool.documents[place]
        fresh = {form: sure for form, sure in document.forms().items() if form not in known}
        known |= fresh.keys()
        if not fresh:
            said.append(_nothing_new(document))
            continue
        doubtful = min(fresh, key=lambda form: (fresh[form], form))
        others = waiting[doubtful] - 1
        also = f"also in {counted(others, 'other waiting documents')}" if others else ""
        texts = "one new text" if len(fresh) == 1 else f"{len(fresh)} new texts"
        said.append(f"{texts.capitalize()}, least sure of {_least(document, {doubtful}, also)}.")
    return said


def _by_chance(pool: Pool, order: Sequence[int]) -> list[str]:
    return ["Its place is random." for _ in order]


def _by_difference(pool: Pool, order: Sequence[int]) -> list[str]:
    if not pool.labelled:
        first = "The most typical document: nothing is annotated yet."
        return [
            first if not n else "Its words differ most from those of the documents before it."
            for n in range(len(order))
        ]
    return ["Its words differ most from those of annotated documents, and of those before it." for _ in order]


reasons: dict[str, Reasons] = {
    "least-confident": _by_confidence,
    "least-confident-new": _by_new_text,
    "most-doubt": _by_doubt,
    "random": _by_chance,
    "diversity": _by_difference,
}
"""By the name of the strategy."""


def _least_sure(
    document: Unlabelled, forms: set[str] | None = None, *, what: str = "The model is least sure of"
) -> str:
    if not (least := _least(document, forms)):
        return "The model found nothing in it."
    return f"{what}{'' if forms is None else ' is'} {least}."


def _least(document: Unlabelled, forms: set[str] | None, also: str = "") -> str:
    """The mention with the lowest confidence, and in brackets how sure the model is of it, if known; "" without a mention."""
    known = document.probabilities or (None,) * len(document.mentions)
    mentions = zip(document.confidences, document.mentions, known, strict=True)
    found = [each for each in mentions if forms is None or simplify(each[1]) in forms]
    if not found:
        return ""
    _, text, probability = min(found, key=lambda each: each[:2])
    # As the page shows it: nothing is impossible or certain.
    percent = "" if probability is None else f"{max(1, min(99, int(100 * probability + 0.5)))} % sure"
    note = ", ".join(filter(None, (percent, also)))
    return f"{_short(text)} ({note})" if note else _short(text)


def _nothing_new(document: Unlabelled) -> str:
    if not document.mentions:
        return "The model found nothing in it."
    return "Nothing new: all its texts are annotated already, or in documents before it."


def _short(text: str) -> str:
    words = " ".join(text.split())
    return f"“{words if len(words) <= _MAX_CHARACTERS else words[: _MAX_CHARACTERS - 1] + '…'}”"
