"""The two transformers of a dual encoder in ONNX Runtime, and the token ids that they read: linking needs no torch.

    mention  [CLS] left [START] mention [END] right [SEP]
    entity   [CLS] semantic type [SEP] name 1 [SEP] name 2 [SEP] …

Source: Le & Nguyen §3.2.1, 128 tokens each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats
from linnet.encode.markers import cut_around
from linnet.encode.model import Model, opening_weights
from linnet.encode.session import POOLINGS, Session
from linnet.errors import DamagedError
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext

__all__ = ["END", "ENTITY", "LENGTH", "MENTION", "START", "TOKENIZER", "DualTokens", "DualTowers"]

# In a model's directory: token ids (N, L) → a vector per token (N, L, D).
MENTION, ENTITY, TOKENIZER = "mention.onnx", "entity.onnx", "tokenizer.json"
# Capitals: texts are in lower case, so none can contain a marker.
START, END = "[START]", "[END]"
LENGTH = 128


class DualTokens:
    """A tokenizer and the markers between texts.

    start, end  ids of the markers around a mention
    """

    def __init__(
        self, tokenizer: Any, first: str = "[CLS]", between: str = "[SEP]", length: int = LENGTH
    ) -> None:
        """
        tokenizer  of the tokenizers library, with START and END; truncation and padding are switched off
        first      its first token        between  its token at the end of a text
        length     tokens of an input at most, markers included

        Raises DamagedError for a marker it does not know.
        """
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer, self.length = tokenizer, length
        self._first, self._between, self.start, self.end = map(self._id, (first, between, START, END))

    def mentions(self, contexts: Sequence[MentionInContext]) -> list[list[int]]:
        """A sentence that is too long is cut evenly on both sides of the mention."""
        ids = self._encode([text for context in contexts for text in context])
        inputs = []
        for left, text, right in zip(ids[0::3], ids[1::3], ids[2::3], strict=True):
            left, mention, right = cut_around(left, text, right, room=self.length - 4)
            inputs.append([self._first, *left, self.start, *mention, self.end, *right, self._between])
        return inputs

    def entities(self, concepts: Sequence[DescribedConcept]) -> list[list[int]]:
        """As many names as fit. The last may be cut, but the final marker is always present."""
        ids = iter(self._encode([text for concept in concepts for text in (concept.type, *concept.names)]))
        inputs = []
        for concept in concepts:
            tokens = [token for _ in range(1 + len(concept.names)) for token in (*next(ids), self._between)]
            if len(tokens) >= self.length:
                tokens[self.length - 2 :] = [self._between]
            inputs.append([self._first, *tokens])
        return inputs

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _id(self, marker: str) -> int:
        id = self._tokenizer.token_to_id(marker)
        if id is None:
            raise DamagedError(f"the tokenizer has no token '{marker}'. Export or train the model again.")
        return int(id)


class DualTowers:
    """Maps mentions and concepts to one space; a row depends only on its own input. Safe to share between threads.

    mention_pooling  "markers": the mean of the outputs at the two markers; "span": of these and all between them
    entity_pooling   "cls": the first output; "mean": the mean of all
    """

    def __init__(
        self,
        mention: Session,
        entity: Session,
        tokens: DualTokens,
        *,
        dimensions: int,
        mention_pooling: str = "markers",
        entity_pooling: str = "cls",
    ) -> None:
        """Raises KeyError for a pooling that it does not know."""
        self._mention, self._entity, self._tokens = mention, entity, tokens
        self.dimensions = dimensions
        self._between = {"markers": False, "span": True}[mention_pooling]
        self._pool_entities = POOLINGS[entity_pooling]

    @classmethod
    def open(cls, path: Path, model: Model, *, threads: int | None = None) -> Self:
        """Read a model directory. Raises DamagedError if it cannot be used."""
        from tokenizers import Tokenizer

        with opening_weights(path):
            options, size = model.options, model.dimensions
            marks = str(options["first"]), str(options["between"]), int(options["length"])
            tokens = DualTokens(Tokenizer.from_file(str(path / TOKENIZER)), *marks)
            precision = str(options["precision"])
            mention, entity = (
                Session.open(path / file, dimensions=size, precision=precision, threads=threads)
                for file in (MENTION, ENTITY)
            )
            poolings = {
                name: options[name] for name in ("mention_pooling", "entity_pooling") if name in options
            }
            return cls(mention, entity, tokens, dimensions=size, **poolings)

    def mentions(self, contexts: Sequence[MentionInContext]) -> Floats:
        """(N, D) float32, not normalised."""
        return self._mention.vectors(self._tokens.mentions(contexts), self._pool_mentions)

    def _pool_mentions(self, states: Any, ids: Any) -> Floats:
        places = np.arange(ids.shape[1])
        first, last = (
            (ids == marker).argmax(1)[:, None] for marker in (self._tokens.start, self._tokens.end)
        )
        inside = (places == first) | (places == last)
        if self._between:
            inside = (places >= first) & (places <= last)
        mean: Floats = (states * inside[:, :, None]).sum(1) / inside.sum(1, keepdims=True)
        return mean.astype(np.float32)

    def entities(self, concepts: Sequence[DescribedConcept]) -> Floats:
        """(N, D) float32, not normalised."""
        return self._entity.vectors(self._tokens.entities(concepts), self._pool_entities)
