"""Token ids that a transformer dual encoder reads.

    mention  [CLS] left [START] mention [END] right [SEP]
    entity   [CLS] semantic type [SEP] name 1 [SEP] name 2 [SEP] …

Source: Le & Nguyen §3.2.1, 128 tokens each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.errors import DamagedError
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext

__all__ = ["END", "LENGTH", "START", "Tokens"]

# Written in capitals: the texts are in lower case, so that none can contain them.
START, END = "[START]", "[END]"
LENGTH = 128


class Tokens:
    """A tokenizer and the marks that are put between the texts.

    start, end  ids of the marks around a mention
    """

    def __init__(
        self, tokenizer: Any, first: str = "[CLS]", between: str = "[SEP]", length: int = LENGTH
    ) -> None:
        """
        tokenizer  of the tokenizers library, knowing START and END; made to neither truncate nor pad
        first      its mark for the beginning        between  its mark for an end
        length     tokens of an input at most, marks included

        Raises DamagedError for a mark it does not know.
        """
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer, self.length = tokenizer, length
        self._first, self._between, self.start, self.end = map(self._id, (first, between, START, END))

    def mentions(self, contexts: Sequence[MentionInContext]) -> list[list[int]]:
        """Where the sentence is too long, as much of it as fits, evenly from both sides of the mention."""
        ids = self._encoded([text for context in contexts for text in context])
        found = []
        for left, text, right in zip(ids[0::3], ids[1::3], ids[2::3], strict=True):
            mention = text[: self.length - 4]
            room = self.length - 4 - len(mention)
            before = min(len(left), max(room // 2, room - len(right)))
            marked = [self.start, *mention, self.end]
            found.append(
                [self._first, *left[len(left) - before :], *marked, *right[: room - before], self._between]
            )
        return found

    def entities(self, described: Sequence[DescribedConcept]) -> list[list[int]]:
        """As many names as fit; the last may be cut, the end mark always stands."""
        ids = iter(self._encoded([text for one in described for text in (one.type, *one.names)]))
        found = []
        for one in described:
            parts = [token for _ in range(1 + len(one.names)) for token in (*next(ids), self._between)]
            if len(parts) >= self.length:
                parts[self.length - 2 :] = [self._between]
            found.append([self._first, *parts])
        return found

    def _encoded(self, texts: Sequence[str]) -> list[list[int]]:
        return [one.ids for one in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def _id(self, mark: str) -> int:
        id = self._tokenizer.token_to_id(mark)
        if id is None:
            raise DamagedError(f"the tokenizer has no token '{mark}'. Export or train the model again.")
        return int(id)
