"""The token ids that a transformer dual encoder reads.

    mention  [CLS] left [START] mention [END] right [SEP]
    entity   [CLS] semantic type [SEP] name 1 [SEP] name 2 [SEP] …

Source: Le & Nguyen §3.2.1, 128 tokens each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.encode.markers import cut_around
from linnet.errors import DamagedError
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext

__all__ = ["END", "LENGTH", "START", "Tokens"]

# Capitals: texts are in lower case, so none can contain a marker.
START, END = "[START]", "[END]"
LENGTH = 128


class Tokens:
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
