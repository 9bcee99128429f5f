"""Mentions and concepts as a dual encoder reads them."""

from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext

__all__ = ["CONCEPTS", "CONTEXTS"]

CONTEXTS = [
    MentionInContext("he had a", "cold", "in winter."),
    MentionInContext("a", "cold", "bath was taken, which lasted very long."),
    MentionInContext("", "gout", ""),
]
CONCEPTS = [
    DescribedConcept("disease", ("common cold", "cold", "coryza")),
    DescribedConcept("", ("cold temperature",)),
    DescribedConcept("disease", ("gout", "podagra")),
]
