"""The folder of a mapping: its rows, what was decided of them, and the linker that proposes."""

from __future__ import annotations

import getpass
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from linnet.advice import Step
from linnet.errors import RequestError, StoreError, UnknownIdError
from linnet.link.linker import Linker
from linnet.link.linker_config import LinkerConfig
from linnet.mapping.decisions import Decision, Event, State, Status, Target
from linnet.mapping.rows import Row
from linnet.mapping.source_table import Columns
from linnet.mapping.store import FILE, Store
from linnet.terminology import Terminology

__all__ = ["Folder", "config_record", "user"]


class Folder:
    """A `linnet.mapping.Mapping` without making, import, export and new releases: what these work on.

    takes_back  the event of a decision that is taken back
    """

    takes_back = Event.UNDONE

    def __init__(self, path: Path, store: Store) -> None:
        self.path, self.store = path, store
        self._linker: Linker | None = None
        self._terminologies: list[Terminology] | None = None
        self._four_eyes = bool(self.settings.get("four_eyes"))

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Raises StoreError for a folder that is no mapping."""
        path = Path(path)
        if not (path / FILE).is_file():
            raise StoreError(
                f"{path} is not a mapping: it has no {FILE}.",
                Step.MAKE_MAPPING(mapping=path),
            )
        return cls(path, Store.open(path / FILE))

    def close(self) -> None:
        """Close the file."""
        self.store.close()

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────

    def __len__(self) -> int:
        return len(self.store)

    def __iter__(self) -> Iterator[Row]:
        return self.store.rows()

    def __getitem__(self, number: int) -> Row:
        for row in self.store.rows([number]):
            return row
        raise RequestError(
            f"{self.store.tables.place} has no row {number}. Its rows are numbered from 1 to {len(self)}."
        )

    def find(self, *, code: str | None = None, text: str | None = None) -> list[Row]:
        """The rows with a code of the source, or with a text."""
        numbers = self.store.numbers_of(code=code, text=text)
        return list(self.store.rows(numbers)) if numbers else []

    def history(self, number: int) -> list[Decision]:
        """The log of a row, in the order of time."""
        return self.store.log(number)

    @property
    def columns(self) -> Columns:
        """Of the source table."""
        record = self.store.setting("columns")
        return Columns(**{**record, "context": tuple(record["context"])})

    @property
    def settings(self) -> dict[str, Any]:
        """See `new`."""
        return dict(self.store.setting("settings", {}))

    @property
    def config(self) -> LinkerConfig:
        """Of the linker that proposes."""
        record = self.store.setting("linker")
        return LinkerConfig.of(record["terminologies"], record["options"])

    @property
    def linker(self) -> Linker:
        """Opened at first use. Raises as `LinkerConfig.open`."""
        if self._linker is None:
            self._linker = self.config.open()
        return self._linker

    @property
    def terminologies(self) -> list[Terminology]:
        """Those that strings are mapped to, opened at first use without their indexes."""
        if self._terminologies is None:
            self._terminologies = [Terminology.open(path) for path in self.config.terminologies]
        return self._terminologies

    def is_done(self, state: State) -> bool:
        """Whether nobody has to look at the row again: decided, not returned, undisputed, and by two people where settings ask."""
        if state.decision is None or state.returned or state.disagrees:
            return False
        return bool(state.second) or not self._four_eyes

    # ── deciding ─────────────────────────────────────────────────────────────────────────────────────────

    def decide(
        self,
        number: int,
        concepts: str | Sequence[str] = (),
        *,
        by: str | None = None,
        settles: bool = False,
        **said: Any,
    ) -> Row:
        """Map a row to a concept, to several in their order, or to none, and return it as it is then.

        by       who decides; None: the user of this machine
        settles  whether it ends or forestalls a dispute with what others have decided
        said     status, equivalence, comment, of `Decision.made`; `type` of the mappings as OMOP has it. An equivalence that is not
                 said is `Row.usual_equivalence`

        Raises UnknownIdError for a concept that no terminology of the mapping has, RequestError as `Decision.made`.
        """
        row = self[number]
        ids = [concepts] if isinstance(concepts, str) else list(concepts)
        type = {"type": said.pop("type")} if "type" in said else {}
        targets = [self.target(id)._replace(**type) for id in ids]
        shown = [each.concept for each in row.proposal.candidates] if row.proposal else []
        choice = shown.index(targets[0].concept) + 1 if targets and targets[0].concept in shown else 0
        version = row.proposal.version if row.proposal else 0
        if said.get("equivalence") is None:
            said["equivalence"] = row.usual_equivalence(targets)
        who = user() if by is None else by
        made = Decision.made(number, targets, by=who, choice=choice, version=version, **said)
        if settles and _contradicts(made, row.state):
            made = replace(made, event=Event.SETTLED)
        self._append([made])
        return self[number]

    def approve(self, numbers: Collection[int], *, by: str | None = None) -> int:
        """Approve what is proposed for these rows, all at once. Returns how many; what was decided otherwise, and what a new release
        returned, is left as it is."""
        who = user() if by is None else by
        made = [
            Decision.made(
                row.number,
                row.proposal.targets,
                equivalence=row.usual_equivalence(row.proposal.targets),
                by=who,
                choice=1,
                version=row.proposal.version,
            )
            for row in self.store.rows(list(numbers))
            if row.proposal is not None and not self.is_done(row.state) and self._is_as_proposed(row)
        ]
        self._append(made)
        return len(made)

    def _is_as_proposed(self, row: Row) -> bool:
        """Whether nobody has decided the row otherwise."""
        state, proposed = row.state, row.proposal
        if state.decision is None:
            return True
        same = proposed is not None and state.decision.concepts == {each.concept for each in proposed.targets}
        return same and state.status is Status.APPROVED and not state.disagrees

    def undo(self, number: int, *, by: str | None = None) -> Row:
        """Take back the last decision of a row; it stays in the log. Raises RequestError if there is none."""
        if self[number].state.decision is None:
            raise RequestError(f"Nothing was decided of row {number}.")
        self._append([Decision.made(number, (), event=self.takes_back, by=user() if by is None else by)])
        return self[number]

    def undo_many(self, after: int, until: int, *, by: str | None = None) -> int:
        """Take back what `by` approved as proposed in these entries of the log, but not where anybody has decided since. Returns how
        many."""
        who = user() if by is None else by
        with self.store.changing():
            numbers = [row for row, entry in self.store.decided_since(after).items() if entry <= until]
            made = [
                Decision.made(row.number, (), event=self.takes_back, by=who)
                for row in self.store.rows(numbers)
                if row.state.decision and row.state.decision.by == who and row.state.decision.choice == 1
            ]
            self.store.append(made)
        return len(made)

    def target(self, id: str) -> Target:
        """A concept of the terminologies by its id, as a target. Raises UnknownIdError."""
        for terminology in self.terminologies:
            if id in terminology:
                concept = terminology[id]
                return Target(concept.id, concept.name)
        raise UnknownIdError(
            f"No terminology of {self.store.tables.place} has the concept '{id}'.",
            Step.FIND_ID(terminology=self.terminologies[0].path),
        )

    def _append(self, decisions: Sequence[Decision]) -> None:
        with self.store.changing():
            self.store.append(decisions)

    def change_linker(self, config: LinkerConfig) -> None:
        """Propose with another linker from now on; inside `store.changing`."""
        self.store.put_setting("linker", config_record(config))
        self._linker = self._terminologies = None


def _contradicts(made: Decision, state: State) -> bool:
    """Whether others have decided otherwise, since a new release returned the row."""
    before = state.decision
    if before is None or state.returned:
        return False
    by_others = before.by != made.by or bool(state.second)
    return state.disagrees or (by_others and before.says != made.says)


def user() -> str:
    """The name of the user of this machine, "" if it has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def config_record(config: LinkerConfig) -> dict[str, Any]:
    """The arguments of `LinkerConfig.of`, ready for JSON."""
    fields = asdict(replace(config, threads=None))
    options = {**fields.pop("changes"), **{name: value for name, value in fields.items() if value}}
    return {"terminologies": list(options.pop("terminologies")), "options": options}
