"""A new release of the terminology: what has changed of the concepts that strings were mapped to, and of what is proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from linnet.link.linker import Linker
from linnet.mapping.decisions import Decision, Event, Target
from linnet.mapping.folder import Folder
from linnet.mapping.proposing import Progress, propose
from linnet.mapping.rows import Proposal, Row
from linnet.terminology import Terminology
from linnet.words.text import simplify

__all__ = ["Upgraded", "upgrade"]

_LIKELY = 0.5  # a proposal that is less probable is no reason to look again


@dataclass(frozen=True, slots=True)
class Upgraded:
    """Rows that a new release returned for review, by reason, and how many it left as they were.

    reasons  "retired", "split", "removed", "renamed", "new concept"
    """

    reasons: Counter[str] = field(default_factory=Counter)
    unchanged: int = 0


def upgrade(mapping: Folder, linker: Linker, keep: Callable[[], None], *, progress: Progress) -> Upgraded:
    """Go over to the terminologies of a linker. Decisions stay in the log; rows that the release puts in doubt are returned.

    keep  notes, inside `Store.changing`, that the mapping has this linker from now on

    retired      a target was replaced by one concept            split        … by several
    removed      a target is no longer there                     renamed      its old name is none of its names now
    new concept  a likely concept, other than the targets, that the old release did not have

    Interrupted, it is begun again with the same call. What is decided meanwhile is looked at as well.
    """
    store, old = mapping.store, mapping.terminologies
    begun, before = store.newest(), {row.number: row for row in mapping if _is_decided(row)}
    version = propose(store, linker, progress=progress)

    def returned(before: dict[int, Row]) -> dict[int, Decision]:
        found = {}
        for after in store.rows(list(before)):
            reason, targets = _reason(before[after.number], after.proposal, old, linker.terminologies)
            if reason:
                found[after.number] = Decision.made(
                    after.number, targets, event=Event.RETURNED, comment=reason, version=version
                )
        return found

    found = returned(before)
    with store.changing():
        late = {row.number: row for row in store.rows(list(store.decided_since(begun)))}
        before = {number: row for number, row in before.items() if number not in late}
        before |= {number: row for number, row in late.items() if _is_decided(row)}
        found = {number: made for number, made in found.items() if number not in late} | returned(
            {number: before[number] for number in late.keys() & before}
        )
        store.append(found.values())
        keep()
    reasons = Counter(made.comment.partition(": ")[0] for made in found.values())
    return Upgraded(reasons, len(before) - len(found))


def _is_decided(row: Row) -> bool:
    return row.state.decision is not None and not row.state.returned


def _reason(
    row: Row, proposal: Proposal | None, old: Sequence[Terminology], new: Sequence[Terminology]
) -> tuple[str, tuple[Target, ...]]:
    """Why the row is to be looked at again, "" for no reason, and the targets to propose."""
    reasons, targets = [], []
    for target in row.targets:
        changed, successors = _changed(target, new)
        reasons += [changed] if changed else []
        targets += successors
    better = _better(row, proposal, old)
    if not reasons and better is not None:
        return f"new concept: {better.concept} {better.name}", (better,)
    proposed = proposal.targets if proposal else ()
    return (reasons[0] if reasons else ""), tuple(dict.fromkeys(targets)) or proposed


def _changed(target: Target, terminologies: Sequence[Terminology]) -> tuple[str, list[Target]]:
    """What became of a target, "" if it is as it was, and the concepts in its place."""
    for terminology in terminologies:
        if terminology.row(target.concept) >= 0:
            concept = terminology[target.concept]
            known = {simplify(name) for name in (concept.name, *concept.names)}
            same = target._replace(name=concept.name)
            if simplify(target.name) in known:
                return "", [same]
            return f"renamed: {target.name} is now {concept.name}", [same]
        if successors := terminology.resolve(target.concept):
            targets = [target._replace(concept=id, name=terminology[id].name) for id in successors]
            named = ", ".join(f"{each.concept} {each.name}" for each in targets)
            return f"{'split' if len(targets) > 1 else 'retired'}: {target.concept} is now {named}", targets
    return f"removed: {target.concept} {target.name}", []


def _better(row: Row, proposal: Proposal | None, old: Sequence[Terminology]) -> Target | None:
    """A likely target that the old release did not have."""
    if proposal is None or proposal.probability is None or len(proposal.targets) != 1:
        return None
    [target] = proposal.targets
    known = target.concept in {each.concept for each in row.targets}
    is_new = not known and not any(target.concept in each for each in old)
    return target if is_new and proposal.probability >= _LIKELY else None
