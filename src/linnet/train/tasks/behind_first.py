"""What the tasks share that train a reranker behind another."""

from __future__ import annotations

from pathlib import Path

from linnet.encode.named_models import model_place
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.listwise import ListwiseReranker
from linnet.settings_files import NameOrPath
from linnet.train.crossfit import Crossfit

__all__ = ["forgetting"]


def forgetting(first: NameOrPath, crossfit: Crossfit, fold: int, place: Path) -> Path:
    """The first reranker, written to `place` with the memory of all folds but this one, and with its calibrator."""
    own = model_place(first)
    beside = own / FILE
    calibrator = Calibrator.open(beside) if beside.is_file() else None
    ListwiseReranker.open(own).remembering(crossfit.mention_priors(fold)).save(place, calibrator=calibrator)
    return place
