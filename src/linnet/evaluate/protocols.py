"""Evaluation protocols, each a function of gold and answers, and their combinations.

    strict lenient document end-to-end nil      how answers are scored
    refined unseen-surface unseen-exact         which mentions count
    unseen-concept
    augmented                                   the dictionary also holds the training mentions

`lenient+augmented+refined` names one of each. Without a scoring, `strict` applies; to `unseen-exact`, `lenient`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from linnet.advice import Step
from linnet.errors import RequestError, UnknownNameError
from linnet.evaluate.accuracy import lenient, overlap, strict
from linnet.evaluate.annotation_match import Match, match_counts
from linnet.evaluate.document_level import document_counts, documents_of_answers
from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.nil import nil_counts
from linnet.evaluate.ranking import KS, accuracy_at_k, gold_ranks, recall_score, reciprocal_ranks
from linnet.evaluate.score import Score, mean, precision_recall_f1, share
from linnet.evaluate.subsets import LENIENT, Seen, subsets

__all__ = ["AUGMENTED", "Context", "Protocol", "Result", "parse_protocol", "protocols", "score"]

AUGMENTED = "augmented"


@dataclass(frozen=True, slots=True)
class Context:
    """What some protocols need besides gold and answers; None if not given.

    known        whether the terminology has a concept
    seen         surfaces and concepts of train and dev
    annotations  the system's annotations of running text
    """

    known: Callable[[str], bool] | None = None
    seen: Seen | None = None
    annotations: Sequence[Gold] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of one protocol.

    scores   the headline first
    dropped  number of mentions that do not count, by reason
    notes    for the reader of the report
    places   indexes of the gold mentions that count
    right    whether each of these is right; empty if the protocol does not judge mentions
    """

    protocol: str
    rule: str
    scores: tuple[Score, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    right: tuple[bool, ...] = ()


def _strict(golds: Sequence[Gold], predictions: Sequence[Predicted], context: Context) -> Result:
    """Right iff the emitted concepts equal the gold concepts; gold outside the terminology is an error; mentions
    without a gold concept are left to `nil`."""
    places = [i for i, gold in enumerate(golds) if gold.concepts]
    own, answers = [golds[i] for i in places], [predictions[i] for i in places]
    documents = [gold.document for gold in own]
    right = strict(own, answers)
    scores = (share("accuracy", right, documents), share("any", overlap(own, answers), documents))
    dropped = {"no gold concept": len(golds) - len(places)}
    return _result("strict", _strict, (*scores, *_ranking(own, answers)), dropped, places, right)


def _lenient(golds: Sequence[Gold], predictions: Sequence[Predicted], context: Context) -> Result:
    """Right iff the top name belongs to a gold concept, for a composite iff all gold concepts are emitted; gold
    outside the terminology is dropped."""
    with_concept = [i for i, gold in enumerate(golds) if gold.concepts]
    known = context.known
    places = [i for i in with_concept if known is None or all(map(known, golds[i].concepts))]
    own, answers = [golds[i] for i in places], [predictions[i] for i in places]
    right = lenient(own, answers)
    accuracy = share("accuracy", right, [gold.document for gold in own])
    dropped = {
        "no gold concept": len(golds) - len(with_concept),
        "gold outside the terminology": len(with_concept) - len(places),
    }
    notes = (
        ("No terminology was given, so no gold was dropped for being outside it.",) if known is None else ()
    )
    return _result("lenient", _lenient, (accuracy, *_ranking(own, answers)), dropped, places, right, notes)


def _document(golds: Sequence[Gold], predictions: Sequence[Predicted], context: Context) -> Result:
    """Concepts of each document as a set, emitted for the given mentions against gold; micro-averaged."""
    counts = document_counts(
        [(gold.document, gold.concepts) for gold in golds], documents_of_answers(golds, predictions)
    )
    return _result("document", _document, _f1_first(*counts), {}, range(len(golds)))


def _nil(golds: Sequence[Gold], predictions: Sequence[Predicted], context: Context) -> Result:
    """NIL as a class: precision, recall and F1 of NIL, and strict accuracy over all mentions, NIL among them."""
    documents = [gold.document for gold in golds]
    matched, predicted, gold_nil = nil_counts(golds, predictions)
    right = strict(golds, predictions)
    f1 = _f1_first(documents, matched, predicted, gold_nil, prefix="NIL ")
    places = range(len(golds))
    none = not any(predicted) and not any(gold_nil)
    notes = ("No mention is NIL, neither in the gold nor in the answers.",) if none else ()
    return _result("nil", _nil, (*f1, share("accuracy over all", right, documents)), {}, places, right, notes)


def _end_to_end(golds: Sequence[Gold], predictions: Sequence[Predicted], context: Context) -> Result:
    """Annotations of running text: weak annotation match (spans overlap, concept equal, one to one), strong (spans
    equal), recognition alone, and concepts per document; each concept of a composite is an annotation."""
    annotations = context.annotations
    if annotations is None:
        raise RequestError(
            "Protocol 'end-to-end' needs annotations of running text; these answers are for given mentions.",
            Step.PREDICT_TEXT(),
        )
    scores: list[Score] = []
    matchings: tuple[tuple[Match, bool, str], ...] = (
        ("weak", True, "weak "),
        ("strong", True, "strong "),
        ("weak", False, "recognition, overlapping, "),
        ("strong", False, "recognition, exact, "),
    )
    for match, concepts, prefix in matchings:
        counts = match_counts(golds, annotations, match=match, concepts=concepts)
        scores += _f1_first(*counts, prefix=prefix)
    sets = (
        [(annotation.document, annotation.concepts) for annotation in side] for side in (golds, annotations)
    )
    scores += _f1_first(*document_counts(*sets), prefix="document ")
    without = sum(not gold.concepts for gold in golds)
    dropped = {"no gold concept (counted for recognition only)": without}
    return _result("end-to-end", _end_to_end, tuple(scores), dropped, range(len(golds)))


Scoring = Callable[[Sequence[Gold], Sequence[Predicted], Context], Result]

protocols: dict[str, Scoring] = {
    "document": _document,
    "end-to-end": _end_to_end,
    "lenient": _lenient,
    "nil": _nil,
    "strict": _strict,
}


@dataclass(frozen=True, slots=True)
class Protocol:
    """A combination: the scoring, the subsets in the order given, and whether train mentions are names."""

    scoring: str = "strict"
    subsets: tuple[str, ...] = ()
    augmented: bool = False

    @property
    def name(self) -> str:
        """The combination in canonical order: scoring, `augmented`, subsets."""
        return "+".join((self.scoring, *([AUGMENTED] if self.augmented else []), *self.subsets))


def parse_protocol(text: str) -> Protocol:
    """Read names joined by `+`.

    Raises UnknownNameError for an unknown name, RequestError for two scorings at once and for `end-to-end` combined
    with anything else.
    """
    words = [word.strip().lower() for word in text.split("+")]
    for word in words:
        if word not in protocols and word not in subsets and word != AUGMENTED:
            raise UnknownNameError("protocol", word, (*protocols, *subsets, AUGMENTED))
    scoring = list(dict.fromkeys(word for word in words if word in protocols))
    if len(scoring) > 1:
        raise RequestError(
            f"Protocol '{text}' combines two scorings, {scoring[0]} and {scoring[1]}.",
            Step.SEPARATE_PROTOCOLS(protocols=scoring),
        )
    default = "lenient" if any(word in LENIENT for word in words) else "strict"
    chosen = Protocol(
        scoring[0] if scoring else default,
        tuple(dict.fromkeys(word for word in words if word in subsets)),
        AUGMENTED in words,
    )
    if chosen.scoring == "end-to-end" and (chosen.subsets or chosen.augmented):
        raise RequestError(
            f"Protocol '{text}': end-to-end finds its own mentions and combines with nothing.",
            Step.USE_PROTOCOL(protocol="end-to-end"),
        )
    return chosen


def score(
    protocol: Protocol, golds: Sequence[Gold], predictions: Sequence[Predicted], context: Context
) -> Result:
    """Score the mentions that remain after a protocol's subsets.

    predictions  with the augmented dictionary if the protocol is `augmented`

    Raises RequestError if the protocol needs what the context lacks.
    """
    places, dropped = list(range(len(golds))), dict[str, int]()
    for name in protocol.subsets:
        if context.seen is None:
            raise RequestError(f"Protocol '{name}' needs the training data.", Step.GIVE_TRAINING_DATA())
        kept = subsets[name]([golds[i] for i in places], context.seen)
        places = [places[i] for i in kept.places]
        dropped |= {reason: dropped.get(reason, 0) + count for reason, count in kept.dropped.items()}
    result = protocols[protocol.scoring](
        [golds[i] for i in places], [predictions[i] for i in places], context
    )
    for reason, count in result.dropped.items():
        dropped[reason] = dropped.get(reason, 0) + count
    rules = [result.rule, *(_rule(subsets[name]) for name in protocol.subsets)]
    if protocol.augmented:
        rules.append("The dictionary also holds the training mentions as names of their concepts.")
    return Result(
        protocol.name,
        " ".join(rules),
        result.scores,
        {reason: count for reason, count in dropped.items() if count},
        result.notes,
        tuple(places[i] for i in result.places),
        result.right,
    )


def _ranking(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> tuple[Score, ...]:
    documents, ranks = [gold.document for gold in golds], gold_ranks(golds, predictions)
    at = [share(f"Acc@{k}", accuracy_at_k(ranks, k=k), documents) for k in KS]
    recall = [recall_score(ranks, documents, k=k) for k in KS]
    return (*at, *recall, mean("MRR", *reciprocal_ranks(ranks, documents)))


def _f1_first(
    documents: Sequence[str],
    matched: Sequence[int],
    predicted: Sequence[int],
    gold: Sequence[int],
    *,
    prefix: str = "",
) -> tuple[Score, Score, Score]:
    precision, recall, f1 = precision_recall_f1(matched, predicted, gold, documents, prefix=prefix)
    return f1, precision, recall


def _result(
    name: str,
    rule: Scoring,
    scores: tuple[Score, ...],
    dropped: Mapping[str, int],
    places: Sequence[int],
    right: Sequence[bool] = (),
    notes: tuple[str, ...] = (),
) -> Result:
    return Result(name, _rule(rule), scores, dropped, notes, tuple(places), tuple(right))


def _rule(function: Callable[..., object]) -> str:
    """The first paragraph of a protocol's docstring, as one line."""
    return " ".join((function.__doc__ or "").split("\n\n")[0].split())
