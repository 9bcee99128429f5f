"""What a typing error costs, with and without setting misspelt words right.

    python benchmarks/typing_errors.py --terminology medic/ --mentions NCBItrainset_corpus.txt

Of the distinct mentions of one concept, one word of five letters or more gets one error: a letter left out, put in,
replaced, or exchanged with its neighbour, never the first, drawn by the seed. Counted: links to exactly the gold concept, by exact
look-up and the dense index, with the pipeline's reranker, without its memory of training mentions, and with no reranker;
`spelling` on and off.
"""

from __future__ import annotations

import random
import string
import sys
from dataclasses import replace
from pathlib import Path

from measuring import corpus_options, parser_of

from linnet import corpora
from linnet.errors import LinnetError
from linnet.evaluate import gold_mentions
from linnet.link import Linker, Pipeline
from linnet.terminology import Terminology
from linnet.types import Mention


def main() -> int:
    parser = parser_of(__doc__)
    corpus_options(parser)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    try:
        terminology = Terminology.open(options.terminology)
        asked = distinct(options.mentions, options.types)
        pipeline = Pipeline.from_manifest(terminology.pipeline)
        wrong = {text: misspelt(text, rng) for text in asked}
        print(f"{len(asked):,} distinct mentions, seed {options.seed}\n")
        print("| reranker | spelling | as written, % | with an error, % |\n|---|---|---:|---:|")
        systems = {"none": replace(pipeline, reranker=None)}
        if pipeline.reranker is not None:
            systems[f"{pipeline.reranker}, no memory"] = replace(pipeline, memory=False)
            systems[pipeline.reranker] = pipeline
        for name, system in systems.items():
            for spelling in (False, True):
                linker = Linker.open([terminology], pipeline=replace(system, spelling=spelling))
                shares = [right(linker, asked, texts) for texts in ({text: text for text in asked}, wrong)]
                cells = " | ".join(f"{100 * share:.1f}" for share in shares)
                print(f"| {name} | {'on' if spelling else 'off'} | {cells} |", flush=True)
    except LinnetError as error:
        sys.exit(str(error))
    return 0


def distinct(files: list[Path], types: list[str]) -> dict[str, str]:
    """Text of each mention that has one concept and a word that can be misspelt → the concept."""
    found: dict[str, str] = {}
    for file in files:
        for mention in gold_mentions(corpora.read(file), types=types):
            if len(mention.concepts) == 1 and not mention.extra.get("combined") and _long(mention.text):
                found.setdefault(mention.text.casefold(), mention.concepts[0])
    if not found:
        sys.exit("no mentions of one concept. Check --mentions and --types.")
    return found


def misspelt(text: str, rng: random.Random) -> str:
    """With one error in one word."""
    words = text.split()
    at = rng.choice(_long(text))
    word = words[at]
    place, letter = rng.randrange(1, len(word)), rng.choice(string.ascii_lowercase)
    words[at] = rng.choice(
        [
            word[:place] + word[place + 1 :],
            word[:place] + letter + word[place:],
            word[:place] + letter + word[place + 1 :],
            word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :],
        ]
    )
    return " ".join(words)


def right(linker: Linker, gold: dict[str, str], texts: dict[str, str]) -> float:
    """Share of the texts that are linked to what they mean."""
    resolve = linker.terminologies[0].resolve
    links = linker.link([Mention.alone(texts[text]) for text in gold], k=1)
    good = [
        set(link.concepts) == set(resolve(concept))
        for link, concept in zip(links, gold.values(), strict=True)
    ]
    return sum(good) / len(good)


def _long(text: str) -> list[int]:
    return [place for place, word in enumerate(text.split()) if len(word) >= 5 and word.isalpha()]


if __name__ == "__main__":
    sys.exit(main())
