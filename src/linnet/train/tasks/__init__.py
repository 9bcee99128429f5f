"""Tasks, by their names in run files."""

from __future__ import annotations

from linnet.registry import registered
from linnet.train.task import Task

__all__ = ["task_class", "tasks"]

# Name → module and class, imported on use: transformers takes seconds.
tasks: dict[str, str] = {
    "dual": "linnet.train.tasks.dual:DualTask",
    "listwise": "linnet.train.tasks.listwise:ListwiseTask",
    "masked-language": "linnet.train.tasks.masked_language:MaskedLanguageTask",
    "mention-synonyms": "linnet.train.tasks.mention_synonyms:MentionSynonymsTask",
    "mentions": "linnet.train.tasks.mentions:MentionsTask",
    "reader": "linnet.train.tasks.reader:ReaderTask",
    "recogniser": "linnet.train.tasks.recogniser:RecogniserTask",
    "second-encoder": "linnet.train.tasks.second_encoder:SecondEncoderTask",
    "synonyms": "linnet.train.tasks.synonyms:SynonymsTask",
    "two-tower": "linnet.train.tasks.two_tower:TwoTowerTask",
}


def task_class(name: str) -> type[Task]:
    """The class of a task. Raises UnknownNameError listing the choices."""
    task: type[Task] = registered(tasks, name, "task")
    return task
