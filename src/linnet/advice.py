"""What to do about an error: a step and its facts. Whoever shows the error words it for their users.

    Python         the value of the step; `str(error)` ends with it
    command line   cli/advice.tsv
    services       http/advice.tsv, for the page, for REST and for the log

A wording has facts in braces, a list of them joined by commas; `!r` writes them as Python does, `!w` as words of a shell. Words in
brackets around a fact are left out where the fact is unknown; one that is True stands for itself and is written as nothing:

>>> worded("linnet index {terminology}[ --retriever {retrievers}][ --update{update}]", {"terminology": "mesh", "update": True})
'linnet index mesh --update'
>>> worded("--columns {columns!w}", {"columns": {"id": "my code", "name": "label"}})
"--columns 'id=my code' name=label"
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from pathlib import Path
from typing import Self

__all__ = ["Advice", "Note", "Step", "read_wordings", "with_advice", "worded"]

_FACT = re.compile(r"\{(\w+)(![rw])?\}")
_OPTIONAL = re.compile(r"\[([^][]*\{[^][]*)\]")
_READ = (
    "linnet.build(SOURCES, DIR[, format={format!r}][, delimiter={delimiter!r}][, columns={columns!r}][, prefix={prefix!r}]"
    "[, vocabularies={vocabularies!r}][, languages={languages!r}][, suppressed=True{suppressed}][, separator={separator!r}])."
)
_INDEX = "linnet.link.indexing.index_terminology(linnet.open_terminology({terminology!r})"


@unique
class Step(Enum):
    """What to do next, in words for Python. Called with its facts, it is an `Advice`."""

    BUILD_TERMINOLOGY = "Build it: linnet.build(SOURCES, {terminology!r})."
    BUILD_INDEX = (
        f"Build it: {_INDEX}[, retrievers={{retrievers!r}}][, encoder={{encoder!r}}][, dense={{form!r}}][, glossary=False{{plain}}]"
        "[, pipeline={pipeline!r}][, reranker={reranker!r}][, update=True{update}])."
    )
    UPDATE_INDEXES = f"Build what is outdated: {_INDEX}, update=True); or only this: {_INDEX}, retrievers={{retrievers!r}})."
    BUILD_OWN = "To build one of your own: linnet.build(SOURCES, DIR)."
    SHOW_TERMINOLOGY = (
        "All of them: `type_names` and `source_names` of linnet.open_terminology({terminology!r})."
    )
    BUILD_SEARCH = "Build it again: linnet.terminology.search.SearchIndex.build(linnet.open_terminology({terminology!r}))."
    VERIFY_TERMINOLOGY = "Find the file: linnet.terminology.Terminology.open(DIR, verify=True)."
    MODEL_AGAIN = "Fetch, export or train the model again."
    TRAIN_AGAIN = "Train the model again: linnet.train.run.run(RUN_FILE, overwrite=True)."
    LEARN_AGAIN = "Download the version from linnet annotate again, or train again there."
    NAME_TERMINOLOGY = "Name at least one: linnet.load(DIR)."
    BUILD_OR_REPLACE = f"Build it: {_INDEX}, encoder={{encoder!r}}), or use another terminology."
    NAME_INDEXES = "Name one or more, e.g. retrievers={retrievers!r}."
    ADD_INDEX = "Add that: retrievers={retrievers!r}."
    BUILD_OLDER_INDEX = f"Build it: {_INDEX}), or leave since out."
    RESUME = "Run it again with resume=True."
    START_AGAIN = "To train from the start: overwrite=True."
    START_RUN = "Start it: linnet.train.run.run({run!r})."
    RESUME_RUN = "Resume it: linnet.train.run.run({run!r}, resume=True); or replace it: overwrite=True."
    REPLACE_RUN = "Replace it: linnet.train.run.run({run!r}, overwrite=True)."
    ADD_HIERARCHY = "Add one with linnet.terminology.enrich.enrich."
    FEWER_JOBS = "Close other programs, or use fewer workers or a larger machine, with resume=True."
    SPLIT_DOCUMENT = "Split it, use fewer workers, or leave such documents out: on_error='skip'."
    NAME_COLUMN = "Name the right column: column=NAME."
    CONFIRM_HEADER = "If it is: column={column!r}."
    NAME_CONCEPT_COLUMN = "Name it: concept_column=NAME."
    NAME_SHEET = "To read one: sheet=NAME."
    READ_AS = "To read it as {format} anyway: format={format!r}."
    READ_LINES = "To read each line as a document: by_line=True[, format={format!r}]."
    READ_WITH = f"Read it with: {_READ}"
    READ_THEM = f"To read them: {_READ}"
    READ_OTHERWISE = f"If that is wrong: {_READ}"
    RENAME_FIELD = "If '{field}' holds the text, rename it: {command}"
    JOIN_WORDS = "If '{field}' holds the words of the text, join them: {command}"
    WRITE_LINES = "Convert it to JSON Lines: {command}"
    CONVERT_ENCODING = "To convert it from {encoding}: iconv -f {encoding} -t utf-8 FILE > NEW"
    DROP_BYTES = "Correct the line, or leave such bytes out: iconv -c -f utf-8 -t utf-8 FILE > NEW"
    NAME_ID_COLUMN = "Name the right one: id_column=NAME."
    NAME_FIELDS = "Or name the fields: column=NAME, id_column=NAME."
    NAME_FIELDS_OR_FORMAT = "If it is JSON Lines, name the fields: column=NAME, or input_format='jsonl'."
    WITHOUT_CHUNKS = "Leave engine, workers and resume out for this file."
    USE_RAY = "Use engine='ray'."
    START_RAY = "Start one with Ray's own command."
    WITHOUT_RAY = "Leave engine='ray' out; workers need no Ray."
    RESUME_FIRST_RUN = "To resume the run that made it: resume=True."
    CHOOSE_SHARES = "For example: (0.1, 0.2, 0.4, 0.6, 0.8, 1)."
    OTHER_FOLDER = "Choose another folder."
    GIVE_FILES = "Or give files: pool, dev and terminologies."
    ALLOW_MISSING = "To go on anyway: allow_missing=True."
    GIVE_TRAINING_DATA = "Give the documents of the training data."
    SCORE_SPANS = "To score only spans or NIL, use the protocol 'end-to-end' or 'nil'."
    PREDICT_AS_JSONL = "Or write the predictions as JSON Lines."
    PREDICT_TEXT = "Give a terminology, or predictions in a format of documents."
    SEPARATE_PROTOCOLS = "Score them one by one: {protocols!r}."
    USE_PROTOCOL = "Use {protocol!r}."
    BUILD_WITH_PREFIX = "Build it so: linnet.build(SOURCE, {terminology!r}, prefix={prefix!r})."
    MERGE_TERMINOLOGIES = "If they are the same concepts under other names, make one terminology of both: linnet.terminology.merge.merge."
    FIND_FILE = "Find it at its publisher, and give its address as `url`."
    FIND_ID = "Find ids with linnet.open_terminology({terminology!r}).search(NAME)."
    OWN_CODES = "To use codes of your own, give the mentions ids."
    NAME_VOCABULARY = "To name yours: source_vocabulary_id in the metadata."
    LINK_TO_OMOP = "Link to an OMOP vocabulary: linnet.build(ATHENA_DIR, DIR, format='omop')."
    NAME_FORMAT = "To name the format: format=NAME."
    WRITE_AS = "Or write it as {format}: format={format!r}."
    RECOGNISE = "To have mentions recognised, leave given_mentions out."
    SCORE_LINKS = "To score them, give them as predictions: linnet.evaluate.predictions.read_predictions."
    MAP_TERMINOLOGIES = "To join terminologies with it: linnet.terminology.merge.merge."
    MAKE_MAPPING = "Make one: linnet.Mapping.new(TABLE, {mapping!r}, TERMINOLOGY)."
    UPDATE_MAPPING = "Or add strings to it: linnet.Mapping.open({mapping!r}).update(TABLE)."
    FEWER_THREADS = "Close other programs, or use fewer processes: threads=1."
    OTHER_PORT = "Is {program} running already? Choose another port."
    HIGHER_PORT = "Choose a port of 1024 or more."
    OWN_ADDRESS = "Name an address of this machine."
    NAME_KEYS = "Name a file of keys, or set ${variable}; if everybody may, say open_to_all."
    ONE_PROCESS = "Leave workers out."
    USE_KNOWN_HOST = "Use one of these in the address, or start the server with API keys."
    SAY_PUBLIC_URL = (
        "If that is the address of your proxy, start the server with public='[https://{host}][{url}]'."
    )
    REVIEW_HERE = "A mapping is reviewed on the machine that it is on."
    START_WITHOUT_PUBLIC_URL = "Start it without a public URL."
    START_WITHOUT_HOST = "Start it at 127.0.0.1."
    GIVE_DATA_FOLDER = "Give the server's folder as `data`, or the URL of its database."
    SERVE_TERMINOLOGY = "To add one, start the server with it."
    GIVE_PUBLIC_URL = "Expected the address that users type, e.g. https://annotate.example.org"
    SKIP_BAD_RECORD = "Correct it, or leave it out: on_error='skip'."
    SKIP_FILE = "Read it separately, or leave it out: on_error='skip'."

    def __call__(self, **facts: object) -> Advice:
        return Advice(self, facts)


@dataclass(frozen=True)
class Advice:
    """A step with the names and paths that it is about."""

    step: Step
    facts: Mapping[str, object]

    def __str__(self) -> str:
        return worded(self.step.value, self.facts)


class Note(str):
    """A message about something that is no error, with advice."""

    message: str
    advice: tuple[Advice, ...]

    def __new__(cls, message: str, *advice: Advice) -> Self:
        note = super().__new__(cls, with_advice(message, advice, str))
        note.message, note.advice = message, advice
        return note

    def worded(self, wording: Callable[[Advice], str]) -> str:
        """The message, and the advice in these words."""
        return with_advice(self.message, self.advice, wording)


def with_advice(message: str, advice: Sequence[Advice], wording: Callable[[Advice], str]) -> str:
    """A message and its advice in these words; "" for advice that does not apply. A message of several lines is not continued.

    A command, which ends without a full stop, gets one where it is not the last.
    """
    parts = [part for part in (message, *map(wording, advice)) if part]
    if "\n" in message:
        return "\n".join(parts)
    return " ".join([*(part if part[-1] in ".?!:;" else f"{part}." for part in parts[:-1]), *parts[-1:]])


def worded(wording: str, facts: Mapping[str, object]) -> str:
    """The wording with the facts in it. Raises KeyError for a fact outside brackets that is unknown."""

    def optional(match: re.Match[str]) -> str:
        return match[1] if all(name in facts for name, _ in _FACT.findall(match[1])) else ""

    def fact(match: re.Match[str]) -> str:
        value = facts[match[1]]
        if value is True:
            return ""
        if isinstance(value, Mapping):
            pairs = (f"{name}={each}" for name, given in value.items() for each in _listed(given))
            return repr(value) if match[2] == "!r" else shlex.join(pairs)
        if match[2] == "!r":
            return repr(_listed(value) if isinstance(value, list | tuple) else str(value))
        return shlex.join(_listed(value)) if match[2] else ",".join(_listed(value))

    return _FACT.sub(fact, _OPTIONAL.sub(optional, wording))


def _listed(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]


def read_wordings(path: Path) -> dict[Step, list[str]]:
    """The wordings of a table by step, in the order of the file. `#` begins a comment, `\\n` is a new line."""
    wordings: dict[Step, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            step, wording = line.replace("\\n", "\n").split("\t")
            wordings.setdefault(Step[step], []).append(wording)
    return wordings
