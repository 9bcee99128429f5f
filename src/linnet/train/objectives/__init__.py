"""Objectives: tensors in, a number out; never models.

family    call                                                   training data
names     (vectors, labels, homonyms=None)                       synonyms: `names.py`
triplets  (mentions, positives, negatives)                       mentions and names: `triplets.py`
in batch  (mentions, entities, labels)                           mentions and entities: `in_batch.py`
clusters  (mentions, clusters, positives, negatives)             mentions by document: `clusters.py`
"""

from linnet.train.objectives.clusters import (
    Prototype,
    PrototypeSoftRadius,
    TripletAll,
    TripletDownSampled,
    hardest_negative,
)
from linnet.train.objectives.in_batch import InBatch
from linnet.train.objectives.names import (
    NCA,
    Circle,
    Cosine,
    InfoNCE,
    LiftedStructure,
    MaxMargin,
    MultiSimilarity,
)
from linnet.train.objectives.pairs import HardPairs, Pairs, all_pairs
from linnet.train.objectives.triplets import NameTriplet

__all__ = [
    "NCA",
    "Circle",
    "Cosine",
    "HardPairs",
    "InBatch",
    "InfoNCE",
    "LiftedStructure",
    "MaxMargin",
    "MultiSimilarity",
    "NameTriplet",
    "Pairs",
    "Prototype",
    "PrototypeSoftRadius",
    "TripletAll",
    "TripletDownSampled",
    "all_pairs",
    "hardest_negative",
    "objectives",
]

objectives: dict[str, type] = {
    "circle": Circle,
    "cosine": Cosine,
    "in-batch": InBatch,
    "info-nce": InfoNCE,
    "lifted-structure": LiftedStructure,
    "max-margin": MaxMargin,
    "multi-similarity": MultiSimilarity,
    "name-triplet": NameTriplet,
    "nca": NCA,
    "prototype": Prototype,
    "prototype-soft-radius": PrototypeSoftRadius,
    "triplet-all": TripletAll,
    "triplet-down-sampled": TripletDownSampled,
}
