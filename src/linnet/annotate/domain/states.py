"""What columns of the tables say in a word: layers of annotations, states of sheets and jobs, modes of projects, roles of people."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["AccountRole", "JobKind", "JobState", "Layer", "Mode", "ProjectRole", "State"]


class Layer(StrEnum):
    """gold: from the upload (yellow). user: made, changed, confirmed or accepted by a user (green). pred: predicted by the model (blue).
    none: on a curated sheet, the curator's decision that there is no mention; never exported."""

    GOLD = "gold"
    USER = "user"
    PRED = "pred"
    NONE = "none"


class State(StrEnum):
    """open: in the queue. accepted: completely annotated; the model learns from it. skipped: put aside."""

    OPEN = "open"
    ACCEPTED = "accepted"
    SKIPPED = "skipped"


class Mode(StrEnum):
    """shared: all annotators work on the same annotations. independent: each has their own sheet of every document,
    which only curators see as well; agreement compares sheets."""

    SHARED = "shared"
    INDEPENDENT = "independent"


class AccountRole(StrEnum):
    """admin: everything. annotator: what their roles in projects allow."""

    ADMIN = "admin"
    ANNOTATOR = "annotator"


class ProjectRole(StrEnum):
    """In a project. annotator: annotate, search, train, export their own work. curator: also see everybody's work, and settle
    disagreements. manager: also upload, change settings, roll back, back up, and choose the members."""

    ANNOTATOR = "annotator"
    CURATOR = "curator"
    MANAGER = "manager"


class JobKind(StrEnum):
    """prepare: build the terminology's indexes. predict: new predictions in all documents that are not accepted.
    train: a new model version, then predict. correct: a version without what users removed, then predict. map: concepts for the
    strings of the mapping."""

    PREPARE = "prepare"
    PREDICT = "predict"
    TRAIN = "train"
    CORRECT = "correct"
    MAP = "map"


class JobState(StrEnum):
    """Queued and running jobs survive crashes of server and trainer; failed ones have a reason."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
