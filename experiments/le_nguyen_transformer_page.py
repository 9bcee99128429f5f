"""The page of `le_nguyen_transformers.py`, from the results of its runs. What is not there yet is left out and named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from le_nguyen_titles import TITLES
from le_nguyen_transformer_plan import Part
from le_nguyen_transformer_tables import TransformerTables
from le_nguyen_transformers import Runs
from result_tables import machine

from linnet.artifact import digest
from linnet.plural import counted

__all__ = ["page"]

# The reading of the tables; written by hand after the runs.
READING = """One seed, and a third of the paper's epochs.

- **Prototype ≥ triplets: reproduced by distance alone.** PTL is ahead of down-sampled triplets in all six parts: by 1.7 and 1.9 points on
  BC5CDR and by 11 and 14 on MedMentions, all beyond the interval, and by 1.2 and 1.3 on NCBI, within it. On MedMentions the triplets end 11
  points below retrieval after their one pass; these runs do not show whether they would catch up in three. With retrieval's score, the lead
  of 2 points remains on BC5CDR; elsewhere the four objectives are within 2 points of each other, in varying order.
- **PTL + SRN ≥ PTL: only on NCBI with dense candidates** (2.4 points, beyond the interval). In the five other parts the difference is
  between -1.1 and +0.5, and with retrieval's score between -0.6 and +0.6. λ changes little: it starts at 5.2 to 5.4 and ends at 4.2 to 4.9.
  It keeps a tenth to a sixth of the mentions out of the prototypes. With the static encoder it fell to about 1.
- **Reranking is worth it together with retrieval's score**: PTL + SRN then gains 4 to 9 points over retrieval in all six parts. By
  distance alone it gains 2 to 6 on BC5CDR and NCBI (there within the interval), and -0.1 and 1.9 on MedMentions, where a quarter of the
  mentions have a concept that train lacks.
- **What training has not seen** loses by distance alone: mentions of concepts new in dev are 1 to 21 points below retrieval with PTL + SRN,
  and 20 to 40 below with the triplets on BC5CDR and MedMentions. Retrieval's score recovers most of this; new surfaces then gain 1 to
  9 points over retrieval.
- **The transformer and the static encoder.** With retrieval's score and dense candidates, the best of each reach 87.9 and 88.2 on BC5CDR,
  88.9 and 88.3 on NCBI, and 80.6 and 79.3 on MedMentions (five seeds [there](le-nguyen.md)). On new surfaces the transformer is 1.5 to 3.4
  points ahead (PTL + SRN), on seen ones 1.2 to 1.8 behind. By names alone, without any training, it reaches 82.4, 81.0 and 77.2: it brings
  a good part of its accuracy with it.
- **Sparse and dense**: with PTL + SRN and retrieval's score, dense candidates are ahead by 1.5 points on BC5CDR, 3 on MedMentions and 0.2
  on NCBI, in line with their recall at 64."""

SHARE = """| | paper | here |
| --- | --- | --- |
| model | two encoders, BERT for biomedical text | two encoders, all-MiniLM-L6-v2, 22.7 million parameters each |
| MedMentions | all, UMLS | about one mention in twelve (dev: 1,953 of 24,379), Mondo, HPO and DO |
| BC5CDR | diseases and chemicals | diseases; NCBI besides |
| epochs | 3 (MedMentions), 6 (BC5CDR) | 1 and 2, a third |
| seeds | not stated | 1 |"""

WITHOUT_COUNTERPART = """- *MedMentions with the UMLS (tables 1 to 5)*: not open. The part that maps to Mondo, HPO or DO stands for it.
- *BERT for biomedical text in both towers, SapBERT for dense retrieval*: no package has their weights. MiniLM and a static
  encoder stand for them.
- *Published systems (table 4)*: their figures are of test sets and of the UMLS. No test set is scored here;
  table 5 (seen and unseen) is of dev.
- *Examples of answers (table 7)* are mentions of the paper's test sets.
- *Chemicals of BC5CDR*: MEDIC, which the corpora are linked to, has diseases only.
- *All of the paper's epochs, the hardest of all 64 candidates by current vectors, several seeds*: these runs used two processor
  cores. Part of the runs for [SapBERT](sapbert-transformer.md) and all for [DILBERT](dilbert-transformer.md) used a GPU;
  these were not repeated on it.
- *Statistics of clusters, time (table 6) and the plot of vectors (figure 4)* are on [the page of static encoders](le-nguyen.md)."""


def page(runs: Runs, plan_file: Path) -> str:
    """The page as Markdown."""
    made, plan = TransformerTables(runs), runs.plan
    if not made.parts:
        return f"{_HEAD}\n{_settings(plan_file)}\n\nNo part is done yet.\n"
    layers = (
        "all layers" if plan.first_layers is None else f"its first {counted(plan.first_layers, 'layers')}"
    )
    return f"""{_HEAD}
{_settings(plan_file)}{_left_out(made.missing)}

Both towers are all-MiniLM-L6-v2 ({layers}; all six have 22.7 million parameters), with weights of their own. Inputs are the
paper's: `[CLS] left [START] mention [END] right [SEP]` and `[CLS] type [SEP] name 1 [SEP] name 2 …`,
{plan.length} tokens. A mention's vector is {_POOLINGS[plan.mention_pooling]},
a concept's {_POOLINGS[plan.entity_pooling]}. Abbreviations are expanded in mentions and in their contexts.
Candidates are the first {runs.experiment.candidates} of retrieval without linnet's hand-written [glossary](../linking.md#the-glossary).
The hardest negative is the nearest of {plan.reencoded} wrong candidates, preselected by vectors that are up to {plan.refresh}
batches old; in the paper it is the nearest of all by current vectors.

- `retrieval alone` is the first candidate. `dense` is an n-gram encoder self-aligned on the names of the terminology (SapBERT's part
  in the paper), `sparse` TF-IDF of characters and words.
- `MiniLM, names alone` is the model without any training here: the candidate with the name nearest to the mention by cosine, mean of all
  tokens, no context.
- `MiniLM, before training` is the two towers with the inputs above and new markers.

Only mentions with exactly one concept, which the terminology has, are counted, whether it is among the candidates or not. A tenth of the
training documents is held out to choose the learning rate and the weight of retrieval's score; dev is only scored. Intervals are 95 %
bootstrap intervals over documents, of the mean over seeds (seeds: {plan.seeds}); differences are in points, with a paired bootstrap
interval and McNemar's p of the first seed. BC5CDR and NCBI: dev sets, linked to MEDIC (July 2012). MedMentions: the open part of
ST21pv that maps to Mondo, HPO or DO; of the train documents, four fifths for training and one for scoring.

## What it shows

{READING}

## How much of the paper this is

{SHARE}

## Rows of the paper without a counterpart

{WITHOUT_COUNTERPART}

## How much training

{made.training()}
{machine()}. Minutes include training and its evaluation on the held-out documents, but not scoring dev.

## Corpora

A tenth of the train mentions is held out, by document.

{made.corpora()}
## Recall of the candidates, %

{made.recall()}
## Acc@1 by the nearest candidate, %

{made.accuracy("alone")}
{made.differences("alone")}
## Acc@1 with retrieval's score, %

score = weight · retrieval − distance; the weight is chosen on the held-out documents.

{made.accuracy("combined")}
{made.differences("combined")}
## Seen and unseen, %

{made.seen()}
## The soft radius

λ₀ is the mean radius of the clusters before training, ϵ = 1.

{made.radii()}
## Learning rate

{made.choice()}
## Repetition

{made.repeated()}
"""


_HEAD = """# Retrieve and rerank with a transformer

The objectives of Le & Nguyen 2023 with MiniLM; [the first page](le-nguyen.md) uses static encoders. Made by
`python experiments/le_nguyen_transformers.py`;"""

_POOLINGS = {
    "markers": "the mean of the outputs at the two markers",
    "span": "the mean of the outputs from marker to marker",
    "cls": "the output at `[CLS]`",
    "mean": "the mean of all outputs",
}


def _settings(plan_file: Path) -> str:
    text = Path(plan_file).read_text(encoding="utf-8")
    return f"settings in `experiments/plans/{Path(plan_file).name}` (digest {digest(text)[:8]})."


def _left_out(missing: Sequence[Part]) -> str:
    named = ", ".join(f"{TITLES[corpus]} {retrieval}" for corpus, retrieval in missing)
    return f"\n\nNot done yet, and left out of all tables: {named}." if missing else ""
