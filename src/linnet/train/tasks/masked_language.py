"""Masked-language modelling: word pieces hidden in plain texts are predicted from the rest (BERT)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from linnet.arrays import Ints, Mask
from linnet.corpora import read
from linnet.errors import DataError
from linnet.io.artifact import digest
from linnet.io.settings_files import check_at_least, check_share
from linnet.train.corpus import corpus_files
from linnet.train.epochs import Epochs
from linnet.train.learners.masked_language import MaskedLanguageLearner
from linnet.train.learners.pretrained import check_length
from linnet.train.learners.transformer import TransformerSettings
from linnet.train.masking import MaskedTokens, mask_tokens
from linnet.train.task import RunSettings, Task
from linnet.train.token_sequences import SHORTEST, TokenSequences

__all__ = ["MaskedLanguageSettings", "MaskedLanguageTask"]

# Of the seed: separate the draws of masks, of documents held out and of their masks from one another.
_MASKS, _HELD_OUT, _HELD_OUT_MASKS = 1 << 42, 1 << 43, 1 << 44


@dataclass(frozen=True, kw_only=True)
class MaskedLanguageData:
    """The section `[data]`.

    texts     files or directories in any corpus format; annotations are ignored
    tokens    of a sequence, [CLS] and [SEP] included; a document is cut into consecutive sequences
    batch     sequences in a batch; all of them if there are fewer
    masked    share of the word pieces that are predicted, more than 0, at most 1 (BERT: 0.15)
    held_out  share of the documents that chooses the weights; 0 for none
    """

    texts: tuple[Path, ...]
    tokens: int = 128
    batch: int = 64
    masked: float = 0.15
    held_out: float = 0.0

    def __post_init__(self) -> None:
        if not self.texts:
            raise ValueError("'texts' is empty; expected at least one file.")
        check_at_least(self, SHORTEST + 2, "tokens")
        check_at_least(self, 1, "batch")
        if not 0 < self.masked <= 1:
            raise ValueError(f"'masked' is {self.masked}; expected more than 0, at most 1.")
        check_share(self, "held_out")


@dataclass(frozen=True, kw_only=True)
class MaskedLanguageSettings(RunSettings):
    """A run file with task = "masked-language"."""

    encoder: TransformerSettings
    data: MaskedLanguageData

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.encoder.kind != "transformer":
            raise ValueError(
                f"'encoder.kind' is '{self.encoder.kind}'; expected 'transformer', the only kind that this task trains."
            )


class MaskedLanguageTask(Task):
    """Batches of sequences, each once in a pass; the masks are drawn anew for every step."""

    Settings: ClassVar[type[RunSettings]] = MaskedLanguageSettings
    batch_key: ClassVar[str] = "data.batch"
    module: MaskedLanguageLearner

    def __init__(
        self,
        settings: MaskedLanguageSettings,
        learner: MaskedLanguageLearner,
        sequences: TokenSequences,
        data: Mapping[str, str],
    ) -> None:
        """sequences: 1 or more, of two documents or more where documents are held out."""
        self.settings, self.module, self.sequences, self.data = settings, learner, sequences, data
        tokenizer = learner.encoder.tokenizer
        self._special = np.array(tokenizer.all_special_ids)
        self._pieces = np.setdiff1d(np.arange(len(tokenizer)), self._special)
        held = _draw_held_out(sequences.documents, settings.data.held_out, seed=settings.seed)
        self._train, self._dev = np.flatnonzero(~held), np.flatnonzero(held)
        self._epochs = Epochs(len(self._train), batch=settings.data.batch, seed=settings.seed)

    @classmethod
    def prepare(cls, settings: MaskedLanguageSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no text is long enough, or only one where documents are held out, and for a
        file named twice."""
        wanted = settings.data
        _check_distinct(wanted.texts)
        texts = _Texts(wanted.texts)
        learner = MaskedLanguageLearner(settings.encoder, texts, seed=settings.seed)
        check_length(learner.encoder.network, key="data.tokens", length=wanted.tokens)
        sequences = TokenSequences.of(texts, learner.encoder.tokenizer, tokens=wanted.tokens)
        documents = len(np.unique(sequences.documents))
        names = ", ".join(map(str, wanted.texts))
        if not documents:
            raise DataError(
                f"no document of data.texts has a sequence with {SHORTEST} word pieces that the tokenizer knows ({names}). "
                "Name files with longer texts, or start from a model of their language."
            )
        if wanted.held_out and documents == 1:
            raise DataError(
                f"data.texts has only one document of {SHORTEST} word pieces or more ({names}), so none can be held out. "
                "Add documents, or leave 'data.held_out' out."
            )
        data = {str(path): digest(*corpus_files(path)) for path in wanted.texts}
        return cls(settings, learner, sequences, data)

    def steps_of_pass(self) -> int:
        """Batches in which each sequence comes once; a remainder smaller than a batch is left out."""
        return self._epochs.batches

    def loss(self, step: int) -> Tensor:
        """Of batch `step`: the mean of −log of the probability of the masked word pieces."""
        rng = np.random.default_rng([self.settings.seed, _MASKS, step])
        logits, targets = self._predict(self.masked_batch(self._train[self._epochs.rows(step)], rng))
        return cross_entropy(logits, targets)

    def masked_batch(self, rows: Ints, rng: np.random.Generator) -> MaskedTokens:
        """Sequences of these rows with masks. Special tokens are never masked."""
        tokenizer = self.module.encoder.tokenizer
        ids = self.sequences.padded(
            rows, first=tokenizer.cls_token_id, last=tokenizer.sep_token_id, pad=tokenizer.pad_token_id
        )
        return mask_tokens(
            ids,
            ~np.isin(ids, self._special),
            share=self.settings.data.masked,
            mask=tokenizer.mask_token_id,
            pieces=self._pieces,
            rng=rng,
        )

    def _predict(self, batch: MaskedTokens) -> tuple[Tensor, Tensor]:
        """(M, V) logits and (M,) true ids of the masked word pieces."""
        device = next(self.module.parameters()).device
        ids, positions, targets = (torch.from_numpy(array).to(device) for array in batch)
        return self.module(ids, positions), targets

    def evaluate(self) -> dict[str, float]:
        """Of the documents held out, with the same masks each time: the mean logarithm of the probability of the masked word
        pieces, and the share of them whose most probable prediction is right. The share ties too often to choose weights."""
        right = log_probability = 0.0
        count, size = 0, self.settings.data.batch
        for start in range(0, len(self._dev), size):
            rng = np.random.default_rng([self.settings.seed, _HELD_OUT_MASKS, start])
            logits, targets = self._predict(self.masked_batch(self._dev[start : start + size], rng))
            right += float((logits.argmax(1) == targets).sum())
            log_probability -= float(cross_entropy(logits, targets, reduction="sum"))
            count += len(targets)
        if not count:
            return {}
        return {"masked-log-likelihood": log_probability / count, "masked-accuracy": right / count}

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the transformer, without the head."""
        facts = {
            "sequences": len(self.sequences),
            "word_pieces": int(self.sequences.lengths.sum()),
            "word_pieces_left_out": self.sequences.left_out,
        }
        self.module.encoder.save(directory, card=card, training={**training, **facts})


def _check_distinct(paths: Sequence[Path]) -> None:
    """Raise DataError for a file that is named twice, or beside its directory: its documents could be held out and learnt."""
    files = Counter(file.resolve() for path in paths if path.exists() for file in corpus_files(path))
    twice = [str(file) for file, count in files.items() if count > 1]
    if twice:
        raise DataError(
            f"data.texts names {twice[0]} more than once; expected each file once. Remove one of its places."
        )


class _Texts:
    """The texts of files, read anew each time: they may take more memory than their tokens."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths

    def __iter__(self) -> Iterator[str]:
        return (document.text for path in self._paths for document in read(path))


def _draw_held_out(documents: Ints, share: float, *, seed: int) -> Mask:
    """(N,) whether a sequence is of a document held out: at least one document, unless the share is 0, and not all."""
    numbers = np.unique(documents)
    if not share:
        return np.zeros(len(documents), bool)
    count = min(max(1, round(share * len(numbers))), len(numbers) - 1)
    drawn = np.random.default_rng([seed, _HELD_OUT]).permutation(numbers)[:count]
    return np.isin(documents, drawn)
