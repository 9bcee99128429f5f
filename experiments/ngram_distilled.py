"""Whether `ngram` learns from the transformer of `accurate`: lists of names as a teacher ranks them, for phrases of running text.

    python experiments/ngram_distilled.py [--steps 4000] [--share 0 0.5] [--seeds 0]     (LINNET_DATA: texts)

Training of experiments/ngram.toml goes on from the shipped encoder, without a teacher (share 0) and with one. The teacher's part of the
loss: each batch also has phrases, runs of words between function words in trial reports and abstracts, which nobody annotated, and
the names of experiments/data/diseases that the teacher finds nearest to any of them; for each phrase the encoder learns the teacher's
probabilities, softmax of cosines, over all these names. Then both rank all names for the mentions of corpora that neither the names
nor the teacher have seen. With the vectors kept in the work directory, ten minutes for each run on two cores.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from harness import parser_of, say
from result_tables import markdown
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from torch import Tensor
from torch.nn.functional import normalize

import linnet
from linnet.arrays import Floats, Ints
from linnet.encode import load_encoder, unit
from linnet.io.artifact import digest
from linnet.io.files import replacing
from linnet.io.settings_files import NameOrPath
from linnet.terminology import Terminology
from linnet.train.corpus import read_mentions
from linnet.train.loop import train
from linnet.train.run import read_run
from linnet.train.tasks.synonyms import SynonymsSettings, SynonymsTask
from linnet.train.validation import NearestNames
from linnet.words.text import simplify

HERE = Path(__file__).absolute().parent
MODELS = Path(linnet.__file__).parent / "models"
TEACHER, SHIPPED = MODELS / "accurate" / "encoder", MODELS / "ngram"
NAMES = HERE / "data" / "diseases"
TEXTS = ("evidence_inference.jsonl.gz", "pubmedqa.jsonl.gz")
CORPORA = {
    "tmvar-diseases": "medic-2021",
    "nlm-chem": "mesh",
    "hpo-notes": "hpo-2025",
    "medmentions": "diseases-and-phenotypes",
    "medmentions-dev": "diseases-and-phenotypes",
    "askapatient": "diseases-and-phenotypes",
}
PHRASES, SEEN_OFTEN = 60_000, 3
NEAREST = 16  # names of the teacher for a phrase
TOGETHER = 64  # phrases of a batch
TEMPERATURE = 0.05


def phrases(folder: Path) -> list[str]:
    """The phrases of one to four words that come most often in the texts; no numbers, no single letters."""
    counted: Counter[str] = Counter()
    for name in TEXTS:
        with gzip.open(folder / name, "rt", encoding="utf-8") as stream:
            for line in stream:
                counted.update(_phrases_of(json.loads(line)["text"]))
    common = [phrase for phrase, count in counted.most_common() if count >= SEEN_OFTEN]
    return common[:PHRASES]


def _phrases_of(text: str) -> Iterator[str]:
    for part in re.split(r"[^\w\s'-]+|\d\S*", text.lower()):
        run: list[str] = []
        for word in (*part.split(), ""):
            if len(word) > 1 and word not in ENGLISH_STOP_WORDS:
                run.append(word)
                continue
            if 1 <= len(run) <= 4:
                yield " ".join(run)
            run = []


class Lists:
    """Phrases with the names that the teacher finds nearest, and its vectors of both."""

    def __init__(self, work: Path, texts: Path) -> None:
        terminology = Terminology.open(NAMES)
        self.names = list(dict.fromkeys(map(simplify, terminology.names)))
        self.phrases = phrases(texts)
        encoder = load_encoder(TEACHER)
        # What is kept is of these names and phrases, by this teacher.
        made_of = digest("\n".join([encoder.digest, f"{NEAREST}", *self.names, "", *self.phrases]))
        kept = work / f"lists-{made_of[:8]}"
        kept.mkdir(parents=True, exist_ok=True)
        self.of_names = _vectors(kept / "names.npy", self.names, encoder)
        self.of_phrases = _vectors(kept / "phrases.npy", self.phrases, encoder)
        self.nearest = _nearest(kept / "nearest.npy", self.of_phrases, self.of_names)

    def batch(self, rng: np.random.Generator) -> tuple[Ints, Ints, Tensor]:
        """(P,) phrases, (n,) names, and (P, n) the teacher's probabilities."""
        rows = rng.choice(len(self.phrases), TOGETHER, replace=False)
        names = np.unique(self.nearest[rows])
        cosines = self.of_phrases[rows].astype(np.float32) @ self.of_names[names].astype(np.float32).T
        return rows, names, torch.softmax(torch.from_numpy(cosines) / TEMPERATURE, dim=1)


def _vectors(kept: Path, texts: Sequence[str], encoder: linnet.encode.Encoder) -> Floats:
    if not kept.exists():
        say(f"the teacher reads {len(texts):,} texts")
        parts = [
            unit(encoder.encode(texts[i : i + 4096])).astype(np.float16) for i in range(0, len(texts), 4096)
        ]
        _save(kept, np.concatenate(parts))
    vectors: Floats = np.load(kept)
    return vectors


def _save(file: Path, array: Any) -> None:
    with replacing(file) as draft, draft.open("wb") as stream:
        np.save(stream, array)


def _nearest(kept: Path, phrases: Floats, names: Floats) -> Ints:
    if not kept.exists():
        all_names = torch.from_numpy(names.astype(np.float32)).T
        parts = []
        for start in range(0, len(phrases), 256):
            cosines = torch.from_numpy(phrases[start : start + 256].astype(np.float32)) @ all_names
            parts.append(cosines.topk(NEAREST, dim=1).indices.to(torch.int32).numpy())
        _save(kept, np.concatenate(parts))
    nearest: Ints = np.load(kept)
    return nearest


class DistilledTask(SynonymsTask):
    """share: of the loss that is the cross-entropy to the teacher's probabilities, times `lists`."""

    lists: Lists
    share: float

    def taught_by(self, lists: Lists, share: float) -> None:
        """Learn from these, too."""
        self.lists, self.share = lists, share
        self._of_phrases = self.module.numbered(lists.phrases)
        self._of_names = self.module.numbered(lists.names)

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        own = super().loss(step)
        if not self.share:
            return own
        rows, names, wanted = self.lists.batch(np.random.default_rng([self.settings.seed, step, 1]))
        phrases, others = normalize(self._of_phrases(rows)), normalize(self._of_names(names))
        found = torch.log_softmax(phrases @ others.T / TEMPERATURE, dim=1)
        return (1 - self.share) * own - self.share * (wanted * found).sum(dim=1).mean()


def main() -> None:
    """Run what the module says."""
    parser = parser_of(__doc__)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--rate", type=float, default=0.03, help="learning rate")
    parser.add_argument("--share", type=float, nargs="+", default=[0.0, 0.5])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--work", type=Path, default=HERE.parent / "runs" / "ngram-distilled")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    lists = Lists(given.work, Path(os.environ["LINNET_DATA"]) / "text")
    other = HERE / "data" / "other"
    questions = {
        corpus: NearestNames(
            Terminology.open(other / terminology),
            read_mentions((other / f"{corpus}.jsonl",))[0],
            ks=(1, 8),
        )
        for corpus, terminology in CORPORA.items()
    }
    shipped = load_encoder(SHIPPED)
    rows = [_row("as shipped", [nearest(shipped.encode) for nearest in questions.values()])]
    say(" ".join(rows[-1]))
    for seed in given.seeds:
        for share in given.share:
            task = _trained(given.steps, given.rate, share, seed, lists)
            encode = task.module.encoder().encode
            rows.append(
                _row(f"share {share:g}, seed {seed}", [nearest(encode) for nearest in questions.values()])
            )
            say(" ".join(rows[-1]))
    print(markdown(("Acc@1 / Acc@8, %", *questions, "mean"), rows))


def _trained(steps: int, rate: float, share: float, seed: int, lists: Lists) -> DistilledTask:
    settings, _ = read_run(HERE / "ngram.toml")
    assert isinstance(settings, SynonymsSettings)
    loop = replace(settings.loop, steps=steps, evaluate_every=steps, warm_up=100)
    encoder = replace(settings.encoder, start=SHIPPED, learning_rate=rate)
    settings = replace(settings, seed=seed, loop=loop, encoder=encoder, output=NameOrPath("distilled"))
    task = DistilledTask.prepare(settings)
    task.taught_by(lists, share)
    torch.manual_seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        train(task, loop, Path(folder))
    return task


def _row(name: str, scores: Sequence[dict[str, float]]) -> tuple[str, ...]:
    pairs = [(score["acc@1"], score["acc@8"]) for score in scores]
    cells = [*pairs, tuple(np.mean(pairs, axis=0))]
    return name, *(f"{100 * first:.1f} / {100 * eighth:.1f}" for first, eighth in cells)


if __name__ == "__main__":
    main()
