"""A system's answers to a dev set, and the file that keeps them: no text of a mention is in it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linnet.evaluate.gold import Predicted
from linnet.io.files import replacing
from linnet.types import Link

__all__ = ["Answer", "answers_of", "read_answers", "score_of", "write_answers"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and how sure the system is: its probability, or the score of its best candidate if it has none."""

    predicted: Predicted
    confidence: float


def score_of(link: Link) -> float:
    """The best candidate's score; of a composite the least of its parts'."""
    if link.parts:
        return min(map(score_of, link.parts))
    return float(link.candidates[0].score) if link.candidates else 0.0


def answers_of(links: Sequence[Link], predictions: Sequence[Predicted]) -> list[Answer]:
    """linnet's links with what they are as values, in the same order."""
    return [
        Answer(predicted, score_of(link) if predicted.probability is None else predicted.probability)
        for link, predicted in zip(links, predictions, strict=True)
    ]


def write_answers(path: Path, answers: Sequence[Answer]) -> None:
    """Write the file as a whole or not at all."""
    rows = [{**_stored(answer.predicted), "confidence": round(answer.confidence, 6)} for answer in answers]
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft:
        draft.write_bytes(gzip.compress(json.dumps(rows).encode(), mtime=0))


def read_answers(path: Path) -> list[Answer]:
    """The answers in the order written; names are not kept."""
    rows = json.loads(gzip.decompress(path.read_bytes()))
    return [Answer(_predicted(row), row["confidence"]) for row in rows]


def _stored(predicted: Predicted) -> dict[str, Any]:
    return {
        "concepts": sorted(predicted.concepts),
        "ranked": predicted.ranked,
        "probability": predicted.probability,
        "parts": [_stored(part) for part in predicted.parts],
    }


def _predicted(row: dict[str, Any]) -> Predicted:
    return Predicted(
        concepts=frozenset(row["concepts"]),
        ranked=tuple(map(tuple, row["ranked"])),
        probability=row["probability"],
        parts=tuple(map(_predicted, row["parts"])),
    )
