"""Fit what decides between the senses of short forms in notes.

    LINNET_DATA=… python -m experiments.sense_weights words|shares|weights [--terminology DIR]

words    lexicon/sense_words.tsv: which words stand near the long forms of ambiguous short forms in half of MTSamples, without the notes
         that are scored once and their copies (`dictated_notes.py`), and in papers
shares   the column `share` of lexicon/note_senses.tsv: the guess, moved by a quarter towards the frequency in discharge summaries and
         sign-out notes of vocabulary/abbreviations, where that has the short form with this sense
weights  lexicon/sense_weights.tsv: a conditional logistic regression on the clinical notes to tune on, and on the other half of
         MTSamples with short forms in the place of long ones, of each short form as many of a sense as its share says; prints the log
         likelihood and the share of right senses by five-fold cross-validation over the notes
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import math
import os
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import linnet

sys.path.append(str(Path(__file__).parent))
from dictated_notes import TEXTS, learnable

from benchmarks.clinical.notes import load
from linnet.read.rules import rows
from linnet.read.senses import OTHER, features, senses_of, words_around
from linnet.types import Document, Mention
from linnet.words.text import key

LEXICON = Path("src/linnet/read/lexicon")
SMOOTHING, LEAST, MOST, CLIP = (
    50.0,
    0.7,
    14,
    2.5,
)  # pseudo-counts; smallest weight and most words kept; largest weight
TIMES, ENOUGH = 8, 500  # fewest windows of a sense, and most
PENALTY = 1.0
FOLDS = 5
MOVED = 0.25  # how far guesses are moved
PER_SHORT, WEIGHT = 20, 0.3  # texts of a short form; how much an example in them counts
Example = tuple[str, list[dict[str, float]], list[bool]]
_TOKEN = re.compile(r"[^\s,;:.()?!]+(?:\.[^\s,;:.()?!]+)*")
_WORD = re.compile(r"[^\W\d_]+")


def main() -> None:
    """Write one of the three."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["words", "shares", "weights"])
    parser.add_argument("--terminology", type=Path, default=Path("bench-out/mesh"))
    options = parser.parse_args()
    data = Path(os.environ["LINNET_DATA"])
    if options.what == "words":
        write_words([*_texts(data, half=0), *_papers(data / "text")])
    elif options.what == "shares":
        write_shares(data / "vocabulary/abbreviations")
    else:
        write_weights(options.terminology, data)


def write_words(texts: Sequence[str]) -> None:
    """The words near each sense of a short form that has several, against all words near senses."""
    by_keys = _ambiguous()
    near: dict[str, Counter[str]] = defaultdict(Counter)
    times: Counter[str] = Counter()
    longest = max(map(len, by_keys))
    for text in texts:
        words = list(_WORD.finditer(text))
        stems = [_american(key(word.group())) for word in words]
        for place in range(len(words)):
            for length in range(1, longest + 1):
                for long in by_keys.get(tuple(stems[place : place + length]), ()):
                    if times[long] == ENOUGH:
                        continue
                    last = min(place + length, len(words)) - 1
                    near[long].update(set(words_around(text, words[place].start(), words[last].end())))
                    times[long] += 1
    every = sum(near.values(), Counter())
    total, lines = sum(times.values()), ["long\twords"]
    for long in sorted(near):
        if times[long] >= TIMES:
            weights = {
                word: math.log(
                    (n + SMOOTHING * every[word] / total) / (times[long] + SMOOTHING) * total / every[word]
                )
                for word, n in near[long].items()
                if n >= 3 and len(word) > 2
            }
            chosen = sorted(weights, key=lambda word: -near[long][word] * weights[word])[:MOST]
            pairs = [f"{word} {min(CLIP, weights[word]):.1f}" for word in chosen if weights[word] >= LEAST]
            lines += [f"{long}\t{', '.join(pairs)}"] if pairs else []
    (LEXICON / "sense_words.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines) - 1} senses have words")


def _ambiguous() -> dict[tuple[str, ...], set[str]]:
    """The words of long forms of short forms with several senses → the long forms."""
    several = Counter(row["short"] for row in rows("note_senses"))
    by_keys = defaultdict(set)
    for row in rows("note_senses"):
        if several[row["short"]] > 1:
            by_keys[_keys(row["long"])].add(row["long"])
    return by_keys


def _shortened(data: Path) -> Iterator[Example]:
    """Examples of texts in which a short form stands in one place, or all places, of a long form."""
    by_keys, shorts = _ambiguous(), defaultdict(list)
    for row in rows("note_senses"):
        shorts[row["long"]].append((row["short"], row["kind"]))
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    longest = max(map(len, by_keys))
    for text in _texts(data, half=1):
        stems = [_american(key(word.group())) for word in _WORD.finditer(text)]
        grams = {tuple(stems[i : i + n]) for i in range(len(stems)) for n in range(1, longest + 1)}
        for words in grams & by_keys.keys():
            for long in by_keys[words]:
                found[long].append((text, words))
    chance = random.Random(0)
    for long in sorted(found):
        for short, _ in shorts[long]:
            choices = senses_of(short)
            share = next((one.probability for one in choices if one.long == long), 0.0)
            texts = found[long]
            if len(choices) < 3 or not share:
                continue
            for text, words in chance.sample(texts, min(len(texts), max(1, round(PER_SHORT * share)))):
                yield from _replaced(text, words, short, long, chance)


def _replaced(
    text: str, words: tuple[str, ...], short: str, long: str, chance: random.Random
) -> Iterator[Example]:
    spans, tokens = [], list(_WORD.finditer(text))
    stems = [_american(key(token.group())) for token in tokens]
    place = 0
    while place + len(words) <= len(stems):
        if tuple(stems[place : place + len(words)]) == words:
            spans.append((tokens[place].start(), tokens[place + len(words) - 1].end()))
            place += len(words)
        else:
            place += 1
    # In every other text the long form stands elsewhere, too, if it does so often enough.
    spans = [chance.choice(spans)] if chance.random() < 0.5 else spans
    parts, starts, end, size = [], [], 0, 0
    for begin, stop in spans:
        parts += [text[end:begin], short]
        size += begin - end
        starts.append(size)
        size, end = size + len(short), stop
    whole = "".join([*parts, text[end:]])
    choices = senses_of(short)
    named = next((one.kind for one in choices if one.kind != OTHER), "")
    start = chance.choice(starts)
    kind = "Chemical" if named == "substance" else "Disease"
    mention = Mention(Document("", whole), start, start + len(short), short, kind)
    options = [features(mention, one) for one in choices]
    yield "", options, [one.long == long for one in choices]


def _papers(folder: Path) -> Iterator[str]:
    for name in ("evidence_inference.jsonl.gz", "pubmedqa.jsonl.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["text"] for line in lines)


def _texts(data: Path, *, half: int) -> Iterator[str]:
    """The texts of one half, without those that are scored once."""
    for record in learnable(TEXTS, data=data):
        if int(hashlib.sha1(record["id"].encode()).hexdigest(), 16) // 5 % 2 == half:
            yield record["text"]


def _keys(text: str) -> tuple[str, ...]:
    return tuple(_american(key(word)) for word in _WORD.findall(text))


def _american(word: str) -> str:
    return word.replace("ae", "e").replace("oe", "e")


def write_shares(folder: Path) -> None:
    """New shares in note_senses.tsv."""
    frequency: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name in ("vanderbilt_discharge_sums.tsv", "vanderbilt_clinic_notes.tsv"):
        with (folder / name).open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                short = row["abbreviation"].replace("_", "/").casefold()
                frequency[short, " ".join(_keys(row["sense"]))].append(float(row["frequency"]))
    path, changed = LEXICON / "note_senses.tsv", 0
    lines = path.read_text(encoding="utf-8").splitlines()
    for place, line in enumerate(lines):
        cells = line.split("\t")
        if len(cells) == 5 and (found := frequency.get((cells[0].casefold(), " ".join(_keys(cells[1]))))):
            share = (1 - MOVED) * float(cells[2]) + MOVED * sum(found) / len(found)
            lines[place] = "\t".join([*cells[:3], f"{max(0.01, min(0.99, share)):.2f}", cells[4]])
            changed += 1
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{changed} shares")


def write_weights(terminology: Path, data: Path) -> None:
    """Of the features of senses."""
    examples, others = list(_examples(terminology)), list(_shortened(data))
    names = sorted({note for note, *_ in examples})
    random.Random(0).shuffle(names)
    likelihood, right = 0.0, 0
    for fold in range(FOLDS):
        held_out = set(names[fold::FOLDS])
        weights = _fitted([*(one for one in examples if one[0] not in held_out), *others])
        for note, options, gold in examples:
            if note in held_out:
                scores = np.array(
                    [sum(weights.get(f, 0.0) * x for f, x in option.items()) for option in options]
                )
                odds = np.exp(scores - scores.max())
                likelihood += math.log((odds * gold).sum() / odds.sum())
                right += gold[int(scores.argmax())]
    n = len(examples)
    print(f"{n} examples in notes, {len(others)} in texts")
    print(f"held out: log likelihood {likelihood / n:.3f}, right {right / n:.3f}")
    lines = [
        f"{name}\t{weight:.2f}"
        for name, weight in sorted(_fitted([*examples, *others]).items())
        if abs(weight) >= 0.005
    ]
    (LEXICON / "sense_weights.tsv").write_text(
        "\n".join(["feature\tweight", *lines]) + "\n", encoding="utf-8"
    )


def _examples(terminology: Path) -> Iterator[Example]:
    """Note, features of the senses, and which are right, of short forms in the notes."""
    linker = linnet.load(terminology)
    longs = sorted({sense.long for row in rows("note_senses") for sense in senses_of(row["short"])} | {
        sense.long for row in rows("clinical_shorthand") for sense in senses_of(row["short"])
    })  # fmt: skip
    concepts = {long: frozenset(link.concepts) for long, link in zip(longs, linker.link(longs), strict=True)}
    for note in load(score=False):
        document = Document(note.name, note.text)
        spans = [(m.start, m.end, m.text, m.type, m.answers) for m in note.mentions]
        # Notes are annotated throughout: a short form outside of all mentions names nothing, though a recogniser may think so.
        known = [*note.mentions, *note.optional]
        for token in _TOKEN.finditer(note.text):
            if not any(span.overlaps(token.start(), token.end()) for span in known):
                spans.append((token.start(), token.end(), token.group(), "", ()))
        for start, end, text, kind, answers in spans:
            choices = senses_of(text)
            named = [one for one in choices if one.kind != OTHER]
            kind = kind or ("Chemical" if named and named[0].kind == "substance" else "Disease")
            gold = [
                one.kind == OTHER if not answers else bool(one.long) and concepts[one.long] in answers
                for one in choices
            ]
            if named and any(gold):
                mention = Mention(document, start, end, text, kind)
                yield note.name, [features(mention, one) for one in choices], gold


def _fitted(examples: Sequence[Example]) -> dict[str, float]:
    names = sorted({name for _, options, _ in examples for option in options for name in option})
    column = {name: i for i, name in enumerate(names)}
    tables = [
        np.array([[option.get(name, 0.0) for name in names] for option in options])
        for _, options, _ in examples
    ]
    golds = [np.array(gold, float) for *_, gold in examples]
    counts = [1.0 if note else WEIGHT for note, *_ in examples]
    prior = np.zeros(len(names))
    prior[column["share"]], prior[column["words"]] = 1.0, 0.5

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = PENALTY * ((weights - prior) ** 2).sum() / 2, PENALTY * (weights - prior)
        for table, gold, count in zip(tables, golds, counts, strict=True):
            scores = table @ weights
            odds = np.exp(scores - scores.max())
            chances = odds / odds.sum()
            chosen = chances * gold / (chances * gold).sum()
            value -= count * math.log((chances * gold).sum())
            gradient = gradient + count * (table.T @ (chances - chosen))
        return value, gradient

    found = minimize(loss, prior.copy(), jac=True, method="L-BFGS-B").x
    return dict(zip(names, found.tolist(), strict=True))


if __name__ == "__main__":
    main()
