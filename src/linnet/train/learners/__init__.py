"""Encoders in training: torch modules that write model directories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from linnet.io.settings_files import settings_from
from linnet.registry import registered

if TYPE_CHECKING:
    from linnet.train.learners.learner import Learner

__all__ = ["build_learner", "learners"]

# `kind` in [encoder] → module and class, called with (settings of its class `Settings`, names, seed=…).
learners: dict[str, str] = {
    "ngram": "linnet.train.learners.ngram:NgramLearner",
    "transformer": "linnet.train.learners.transformer:TransformerLearner",
}


def build_learner(wanted: Any, names: Iterable[str], *, seed: int) -> Learner:
    """The untrained encoder that a run file's section [encoder] asks for.

    wanted  settings of one of the `learners`, or their table with its `kind`
    names   of the terminologies, for idf counts or a vocabulary

    Raises UnknownNameError for an unknown `kind`, DataError for other mistakes.
    """
    kind = str(wanted.get("kind", "ngram") if isinstance(wanted, Mapping) else wanted.kind)
    cls = registered(learners, kind, "encoder kind")
    settings = (
        settings_from(wanted, cls.Settings, section="encoder") if isinstance(wanted, Mapping) else wanted
    )
    learner: Learner = cls(settings, names, seed=seed)
    return learner
