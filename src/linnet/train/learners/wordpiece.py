"""A WordPiece vocabulary learnt from names: the same for the same names.

The WordPiece trainer of the tokenizers library numbers "##x" pieces in the order of a randomly seeded hash table and breaks
ties by number, so its vocabularies differ from call to call. Its byte-pair trainer numbers characters in their own order and
is deterministic; it is given words whose later characters are moved to a private plane of Unicode.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

__all__ = ["SPECIAL", "learn_vocabulary"]

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

# U+F0000 to U+FFFFD are private; a character beyond U+FFFD has no place there.
_PRIVATE, _LAST = 0xF0000, 0xFFFD
_LEAST = 2  # occurrences of a pair of pieces that are merged, as in BERT's trainer


def learn_vocabulary(names: Iterable[str], *, size: int) -> list[str]:
    """The pieces in the order of their ids: `SPECIAL`, all characters of the names, then the most frequent pieces.

    size  number of pieces at most; all characters are kept even if there are more
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=size, min_frequency=_LEAST, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(_moved(names), trainer)
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    return [piece if piece in SPECIAL else _moved_back(piece) for piece, _ in pieces]


def _moved(names: Iterable[str]) -> Iterator[str]:
    normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    known: dict[str, str] = {}
    for name in names:
        words = [word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(name))]
        for word in words:
            if word not in known:
                movable = all(ord(character) <= _LAST for character in word)
                known[word] = word[0] + "".join(chr(ord(c) + _PRIVATE) for c in word[1:]) if movable else ""
        yield " ".join(known[word] for word in words)


def _moved_back(piece: str) -> str:
    plain = "".join(chr(ord(c) - _PRIVATE) if ord(c) >= _PRIVATE else c for c in piece)
    return f"##{plain}" if ord(piece[0]) >= _PRIVATE else plain
