"""The second encoder of `accurate`: a transformer of names with the word pieces it needs, as 8-bit ONNX of less than 20 MB.

    python experiments/accurate_encoder.py START OUT [--average OTHER] [--pieces N]

START  directory of a transformer: all-MiniLM-L6-v2 as it came
OTHER  one that began as START: after self-alignment (experiments/minilm.toml). Weights are the mean of both:
       START knows patients' words, OTHER the names of chemicals, and their mean knows both better than either
OUT    model directory; OUT/int8 is what `accurate` ships

Of the word pieces it keeps the everyday ones (BERT numbers words by frequency) and the most frequent in the names of the open
terminologies, experiments/data/open and unii (commands in plans/sapbert.toml).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import parser_of
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer

from linnet.encode.export import source_digest
from linnet.terminology import Terminology
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings

HERE = Path(__file__).parent
WEIGHTS = "model.safetensors"
NAME = "minilm-names"
TERMINOLOGIES = ("open", "unii")
# Words that a vocabulary of 30,522 numbers below this are everyday ones; each counts as often as this in names.
EVERYDAY, OFTEN = 12_000, 100


def main() -> None:
    """Cut, save and quantise."""
    parser = parser_of(__doc__)
    parser.add_argument("start", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--average", type=Path, metavar="OTHER")
    parser.add_argument("--pieces", type=int, default=20_000)
    given = parser.parse_args()
    training = {"start": source_digest(given.start), "pieces": given.pieces}
    with tempfile.TemporaryDirectory() as folder:
        start = given.start
        if given.average is not None:
            training["average"] = source_digest(given.average)
            start = averaged(given.start, given.average, Path(folder) / "start")
        settings = TransformerSettings(name=NAME, start=start, pieces=given.pieces)
        learner = TransformerLearner(settings, _texts(start), seed=0).eval()
        learner.save(given.out, card="", training=training)
    graph = given.out / "int8" / "model.onnx"
    print(f"{graph}: {graph.stat().st_size / 1e6:.1f} MB, {learner.network.config.vocab_size:,} word pieces")


def averaged(start: Path, other: Path, out: Path) -> Path:
    """A copy of START with the mean of both weights; what OTHER lacks, as the unused pooling layer, stays."""
    shutil.copytree(start, out)
    weights, others = (load_file(place / WEIGHTS) for place in (start, other))
    for name in weights.keys() & others.keys():
        if weights[name].is_floating_point():
            weights[name] = (weights[name] + others[name]) / 2
    save_file(weights, out / WEIGHTS, metadata={"format": "pt"})
    return out


def _texts(start: Path) -> Iterator[str]:
    numbers = AutoTokenizer.from_pretrained(str(start)).get_vocab()
    for piece, number in numbers.items():
        if number < EVERYDAY and piece.isalpha():
            yield from [piece] * OFTEN
    for name in TERMINOLOGIES:
        yield from Terminology.open(HERE / "data" / name).names.array.to_pylist()


if __name__ == "__main__":
    main()
