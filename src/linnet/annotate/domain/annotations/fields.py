"""What a user sets of an annotation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from linnet.annotate.domain.annotations.editor import Editor
from linnet.annotate.domain.annotations.snapshot import Snapshot
from linnet.annotate.domain.attributes.definitions import Value, changed_values
from linnet.annotate.refusals import Invalid
from linnet.terminology import Terminology
from linnet.words.curies import curie_of_shape

__all__ = ["Fields", "check_concepts", "with_fields"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """What a user sets of an annotation; None stays as it is. Setting concepts clears NIL, setting NIL clears the concepts.

    composite   where several concepts describe a mention together; None: they do
    attributes  to change: None and False remove one, others stay. None for a new annotation: what the rules guess
    """

    start: int | None = None
    end: int | None = None
    type: str | None = None
    concepts: Sequence[str] | None = None
    nil: bool | None = None
    composite: bool | None = None
    attributes: Mapping[str, Value | None] | None = None


def with_fields(editor: Editor, state: Snapshot, fields: Fields) -> Snapshot:
    """The state of an annotation after a change. Raises Invalid for a span outside the text, and for an unknown label or attribute."""
    wanted = state.copy()
    wanted["start"] = state["start"] if fields.start is None else fields.start
    wanted["end"] = state["end"] if fields.end is None else fields.end
    wanted["type"] = state["type"] if fields.type is None else fields.type
    if fields.concepts is not None:
        wanted["concepts"] = list(dict.fromkeys(fields.concepts))
        wanted["nil"] = False if wanted["concepts"] else bool(fields.nil)
    if fields.nil is not None:
        wanted["nil"] = fields.nil
        if fields.nil:
            wanted["concepts"] = []
    if fields.concepts is not None or fields.composite is not None or fields.nil is not None:
        several = len(wanted["concepts"]) > 1
        wanted["composite"] = several and (fields.composite if fields.composite is not None else True)
    if any(wanted[name] != state[name] for name in ("start", "end", "concepts")):
        # What a file says of a mention (parts of a composite, discontinuous spans) no longer applies.
        wanted["extra"] = {}
    if fields.attributes is not None:
        defined = editor.project.attributes
        wanted["attributes"] = changed_values(defined, state["attributes"], fields.attributes)
    _check_span(editor.document.text, wanted)
    _check_type(editor.project.labels, wanted, fields)
    return wanted


def _check_span(text: str, wanted: Snapshot) -> None:
    start, end = wanted["start"], wanted["end"]
    if not 0 <= start < end <= len(text):
        raise Invalid(
            f"The span {start}–{end} is outside the text, which has {len(text):,} characters.",
            fields={"end" if start < len(text) else "start": "outside the text"},
        )
    if not text[start:end].strip():
        raise Invalid("The span contains only white space. Select some text.", fields={"start": "blank"})


def _check_type(labels: Collection[str], wanted: Snapshot, fields: Fields) -> None:
    if not wanted["type"] and len(labels) == 1:
        [wanted["type"]] = labels
    if fields.type and labels and fields.type not in labels:
        raise Invalid(
            f"The project has no label '{fields.type}'. Choose from: {', '.join(labels)}.",
            fields={"type": "unknown label"},
        )


def check_concepts(terminology: Terminology, ids: Iterable[str]) -> None:
    """Raise Invalid for an unknown id; for a retired one, name its replacement."""
    for id in ids:
        if terminology.row(id) >= 0:
            continue
        current = terminology.resolve(id)
        same = curie_of_shape(id) in map(curie_of_shape, current)
        hint = (
            f"Write it {current[0]}."
            if same
            else f"It was replaced by {', '.join(current)}."
            if current
            else "Search for it by name."
        )
        raise Invalid(
            f"The terminology has no current concept '{id}'. {hint}", fields={"concepts": f"unknown: {id}"}
        )
