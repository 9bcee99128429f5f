"""What the Le & Nguyen experiments link: terminologies with a name encoder and indexes, and mentions with their candidates."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from harness import DATA, fit, say
from le_nguyen_plan import Part, Plan
from paper_corpora import mentions_of, mondo_hpo_do

from linnet.io.files import replacing
from linnet.io.settings_files import settings_from
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.terminology.readers import read
from linnet.train.clusters import LinkedCandidates, linked_candidates
from linnet.train.tasks.dual import split_documents
from linnet.train.tasks.synonyms import SynonymsTask

__all__ = ["Found", "build", "found", "names_of", "retrieval_of"]


def names_of(plan: Plan, name: str) -> Path:
    """Where the name encoder of a terminology lies."""
    return plan.work / f"{name}-names"


def build(plan: Plan, corpora: set[str]) -> None:
    """The terminologies of corpora with their name encoders and indexes, unless they are there."""
    for place in sorted({plan.terminology(corpus) for corpus in corpora}):
        if (place / "index" / "dense").is_dir():
            continue
        say(f"building {place.name}")
        medic = place.name.startswith("medic-")
        concepts = read(DATA / "terminologies/medic/medic_06Jul2012.txt") if medic else mondo_hpo_do()
        terminology = write_terminology(concepts, place, sources=[{"path": place.name}])
        names = names_of(plan, place.name)
        sizes = {name: plan.names[name] for name in ("buckets", "dimensions")}
        settings = {
            "task": "synonyms",
            "output": str(names),
            "data": {"terminologies": [str(place)]},
            "encoder": {"kind": "ngram", **sizes, "quantisation": "int8"},
            "objective": {"kind": "info-nce", "temperature": 0.05},
        }
        task = SynonymsTask.prepare(settings_from(settings, SynonymsTask.Settings))
        _, seconds = fit(task, plan.names["steps"])
        say(f"  {plan.names['steps']} steps on its names: {seconds:.0f} s of processor time")
        task.save(names, card=f"# Names of {place.name}\n", training={"seed": 0})
        build_indexes(terminology, ("sparse", "dense"), encoder=names, threads=1)


def retrieval_of(plan: Plan, part: Part, *, threads: int | None = None) -> Linker:
    """What finds the candidates."""
    corpus, retrieval = part
    pipeline = Pipeline(retrievers=(retrieval,), reranker=None)
    return Linker.open([plan.terminology(corpus)], pipeline=pipeline, threads=threads)


@dataclass(frozen=True)
class Found:
    """The parts of a corpus with their candidates: `held` is of train, too."""

    train: LinkedCandidates
    held: LinkedCandidates
    dev: LinkedCandidates


def found(plan: Plan, part: Part) -> Found:
    """Candidates of one retrieval; kept in the work folder, since all seeds and objectives share them."""
    corpus, retrieval = part
    settings = f"{plan.terminology(corpus).name}-{plan.candidates}-{plan.held_out:g}"
    kept = plan.work / f"candidates-{corpus}-{retrieval}-{settings}.pickle"
    if not kept.exists():
        say(f"candidates: {corpus} {retrieval}")
        linker = retrieval_of(plan, part, threads=1)
        own, held = split_documents(mentions_of(corpus, "train"), share=plan.held_out, seed=0)
        parts = (own, held, mentions_of(corpus, "dev"))
        made = Found(*(linked_candidates(some, linker, k=plan.candidates) for some in parts))
        with replacing(kept) as draft:
            draft.write_bytes(pickle.dumps(made))
    return _opened(kept)


@lru_cache(maxsize=8)
def _opened(file: Path) -> Found:
    made: Found = pickle.loads(file.read_bytes())
    return made
