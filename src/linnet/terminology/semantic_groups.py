"""Broad groups of concepts that can be compared across terminologies: disorder, chemical, gene, anatomy, organism, procedure.

A terminology's own types say it ("Disease", "T047", OMOP's "Condition", SNOMED CT's "disorder"), else its vocabulary if that
has one group only (HP, UNII). The groups of the UMLS are those of Bodenreider & McCray 2003; findings and psychology count as
disorders, because phenotype ontologies hold both.
"""

from __future__ import annotations

from linnet.types import Concept

__all__ = ["semantic_groups"]

DISORDER, CHEMICAL, GENE, ANATOMY, ORGANISM, PROCEDURE = (
    "disorder",
    "chemical",
    "gene",
    "anatomy",
    "organism",
    "procedure",
)
# UMLS semantic types (TUI) of each group.
_TUIS = {
    DISORDER: "T019 T020 T033 T034 T037 T046 T047 T048 T049 T050 T184 T190 T191 T201",
    CHEMICAL: "T103 T104 T109 T110 T114 T116 T120 T121 T122 T123 T125 T126 T127 T129 T130 T131 T192 T195 T196 T197 T200",
    GENE: "T028 T085 T086 T087 T088 T114 T116 T123 T126 T192",
    ANATOMY: "T017 T018 T021 T022 T023 T024 T025 T026 T029 T030 T031",
    ORGANISM: "T001 T002 T004 T005 T007 T008 T010 T011 T012 T013 T014 T015 T016 T194 T204",
    PROCEDURE: "T058 T059 T060 T061 T063 T065",
}
# Types as readers and sources write them, case-folded.
_TYPES = {
    "disease": DISORDER,
    "disorder": DISORDER,
    "phenotype": DISORDER,
    "symptom": DISORDER,
    "condition": DISORDER,
    "finding": DISORDER,
    "psychology": DISORDER,
    "morphologic abnormality": DISORDER,
    "chemical": CHEMICAL,
    "drug": CHEMICAL,
    "substance": CHEMICAL,
    "product": CHEMICAL,
    "medicinal product": CHEMICAL,
    "gene": GENE,
    "protein-coding": GENE,
    "pseudo": GENE,
    "ncrna": GENE,
    "trna": GENE,
    "rrna": GENE,
    "snrna": GENE,
    "snorna": GENE,
    "scrna": GENE,
    "biological-region": GENE,
    "anatomy": ANATOMY,
    "body structure": ANATOMY,
    "cell": ANATOMY,
    "cell structure": ANATOMY,
    "organism": ORGANISM,
    "procedure": PROCEDURE,
    "protocol": PROCEDURE,
    "measurement": PROCEDURE,
}
# Types with two groups: UNII and ChEBI list proteins among chemicals, NCBI Gene has their names.
_PROTEINS = frozenset({"protein", "enzyme", "peptide"})
_VOCABULARIES = {
    **dict.fromkeys(("HP", "DOID", "MONDO", "ORPHA", "OMIMPS", "SYMP", "ICD10CM"), DISORDER),
    **dict.fromkeys(("UNII", "CHEBI", "RXNORM", "DRUGBANK", "PUBCHEM.COMPOUND"), CHEMICAL),
    **dict.fromkeys(("NCBIGENE", "HGNC", "ENSEMBL"), GENE),
    **dict.fromkeys(("UBERON", "CL", "FMA"), ANATOMY),
    "NCBITAXON": ORGANISM,
}
_GROUPS_OF_TUI = {
    tui: frozenset(group for group, tuis in _TUIS.items() if tui in tuis.split())
    for tuis in _TUIS.values()
    for tui in tuis.split()
}


def semantic_groups(concept: Concept) -> frozenset[str]:
    """The groups a concept belongs to; none if neither its types nor its vocabulary tell."""
    groups: set[str] = set()
    for type in concept.types:
        folded = type.casefold()
        if folded in _PROTEINS:
            groups |= {CHEMICAL, GENE}
        elif folded in _TYPES:
            groups.add(_TYPES[folded])
        else:
            groups |= _GROUPS_OF_TUI.get(type, frozenset())
    vocabulary = _VOCABULARIES.get(concept.id.partition(":")[0])
    if not groups and vocabulary:
        groups.add(vocabulary)
    return frozenset(groups)
