"""Check the gold of all clinical notes against MeSH 2024, and count it.

    python -m benchmarks.clinical.check [bench-out/mesh] [--folder texts2]

prints counts of both halves and every problem; exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.clinical.notes import GoldMention, Note, all_notes, halves
from benchmarks.clinical.systems import Concepts, kind_of
from linnet.terminology import Terminology

__all__ = ["counts", "problems"]

# symptoms and disordered behaviour that MeSH has outside of trees C and F03
SYMPTOMS_ELSEWHERE = frozenset(
    "MESH:" + id
    for id in (
        "D000071936", "D000374", "D001007", "D001601", "D003702", "D003863", "D006084", "D007508",
        "D009770", "D013315", "D013405", "D013406", "D013546", "D013894", "D016728", "D059020",
    )
)  # fmt: skip


def main() -> None:
    """Print the counts and problems."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("terminology", type=Path, nargs="?", default=Path("bench-out/mesh"))
    parser.add_argument("--folder", default="texts", choices=["texts", "texts2"])
    options = parser.parse_args()
    terminology = Terminology.open(options.terminology)
    notes = all_notes(options.folder)
    tune, score = halves(note.name for note in notes)
    for half, names in (("tune", tune), ("score", score)):
        print(
            f"{half}: "
            + ", ".join(f"{n:,} {what}" for what, n in counts(n for n in notes if n.name in names).items())
        )
    found = list(problems(notes, terminology))
    print("\n".join(found) or "no problems")
    sys.exit(bool(found))


def counts(notes: Iterable[Note]) -> Counter[str]:
    """Notes, words, mentions by type, class and assertion, NIL, traps and optional spans."""
    count: Counter[str] = Counter()
    for note in notes:
        count.update({"notes": 1, "words": len(note.text.split()), "mentions": len(note.mentions)})
        for mention in note.mentions:
            count.update({mention.type} | mention.classes | mention.assertion)
            count["NIL"] += not mention.concepts
        count.update({"traps": len(note.traps), "optional spans": len(note.optional)})
    return count


def problems(notes: Iterable[Note], known: Concepts) -> Iterator[str]:
    """What is wrong with the concepts: unknown, retired, or of a kind that does not fit the mention's type."""
    for note in notes:
        for mention in note.mentions:
            for concept in sorted(frozenset[str]().union(*mention.answers)):
                if wrong := _problem(mention, concept, known):
                    yield f"{note.name}: {mention.text!r} has {concept}, {wrong}"


def _problem(mention: GoldMention, concept: str, known: Concepts) -> str:
    if concept not in known:
        return "which MeSH 2024 does not have"
    if concept in SYMPTOMS_ELSEWHERE and mention.type == "Disease":
        return ""
    kind = kind_of(known, frozenset({concept}))
    return "" if kind == mention.type else f"a {kind or 'concept of other trees'}, but is a {mention.type}"


if __name__ == "__main__":
    main()
