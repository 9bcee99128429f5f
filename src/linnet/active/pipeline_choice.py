"""How the mentions of a project may be linked."""

from __future__ import annotations

from linnet.encode.named_models import model_place
from linnet.link.pipeline import Pipeline
from linnet.link.pipeline_files import pipelines
from linnet.recognise import COMBINED
from linnet.terminology import Terminology

__all__ = ["DEFAULT", "pipelines_for"]

DEFAULT = "default"
"""The terminology's own pipeline."""

# Pipelines without a line here are for measuring, and not offered.
_DESCRIPTIONS = {
    DEFAULT: "fast: linnet's usual linking",
    "accurate": "accurate: a transformer reads the names again where the usual linking is unsure; slower to prepare and to predict",
    "clinical": "fast, and every text is read as a clinical note; else linnet decides that for each text",
}
_OTHER_OWN = "as the terminology says"


def pipelines_for(terminology: Terminology) -> dict[str, str]:
    """Name → description of the pipelines that a project can choose; the terminology's own comes first.

    A pipeline is left out if the model of its reranker is not installed, if the terminology's own has the same reranker, and "clinical"
    where the terminology says that another recogniser than linnet's finds the mentions.
    Raises MismatchError if the pipeline in the terminology's manifest cannot be read.
    """
    own = Pipeline.from_manifest(terminology.pipeline)
    usual = own.reranker == Pipeline().reranker
    choices = {DEFAULT: _DESCRIPTIONS[DEFAULT] if usual else _OTHER_OWN}
    others = (name for name in _DESCRIPTIONS if name in pipelines and name != DEFAULT)
    return choices | {name: _DESCRIPTIONS[name] for name in others if _is_offered(name, own)}


def _is_offered(name: str, own: Pipeline) -> bool:
    """Whether the model of the pipeline's reranker is installed, and is another than that of `own`; without one, whether linnet's own
    recogniser reads the texts."""
    reranker = pipelines[name].get("reranker")
    if reranker is None:
        return own.recogniser == COMBINED
    if not (path := model_place(reranker)).is_dir():
        return False
    return own.reranker is None or path != model_place(own.reranker)
