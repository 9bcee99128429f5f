"""Groups of semantic types: whether a mention's type suits a concept, and whether concepts of two terminologies can be the same.

Corpora and terminologies name their types differently: "Disease", "DiseaseClass", "T047", "disorder", "Condition". Each is
sorted into groups, by hand; types that are not listed have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntFlag

import numpy as np

from linnet.arrays import Ints

__all__ = [
    "Group",
    "agreement",
    "compatible",
    "group_of_concept",
    "group_of_id",
    "group_of_mention",
    "group_of_type",
    "mention_type",
    "mentions_kind",
    "single_kind",
]


class Group(IntFlag):
    """Kinds of things; a type may belong to several."""

    DISEASE = 1
    PHENOTYPE = 2
    CHEMICAL = 4
    PROTEIN = 8
    GENE = 16
    ANATOMY = 32
    CELL = 64
    ORGANISM = 128
    PROCEDURE = 256
    PROCESS = 512
    OTHER = 1024  # none of these, such as places and people


_NONE = Group(0)
# Types of concepts, in the readers' spelling, case-folded. Numbers and long names are those of the UMLS, by its semantic groups
# (McCray et al. 2001); other words are tags of SNOMED CT, domains of OMOP, trees of MeSH, and NCBI Gene's types.
# Phenotype ontologies hold findings, clinical attributes and behaviour too, NCBI Gene the names of proteins and RNA.
_OF_TYPES: dict[Group, str] = {
    Group.DISEASE: "disease|disorder|rare disease|t019|t020|t047|t048|t049|t050|t190|t191|disease or syndrome|"
    "neoplastic process|mental or behavioral dysfunction|congenital abnormality|acquired abnormality|anatomical abnormality|"
    "cell or molecular dysfunction|experimental model of disease",
    Group.DISEASE | Group.PHENOTYPE: "condition|finding|symptom|t033|t037|t046|t184|sign or symptom|pathologic function|"
    "morphologic abnormality|injury or poisoning",
    Group.PHENOTYPE: "phenotype|human_phenotype|t034|laboratory or test result",
    Group.PHENOTYPE | Group.PROCESS: "psychology|t201|clinical attribute",
    Group.CHEMICAL: "chemical|drug|ingredient|substance|product|medicinal product|clinical drug|chebi_ontology|t103|t104|t109|"
    "t110|t120|t121|t122|t125|t127|t130|t131|t195|t196|t197|t200|pharmacologic substance|organic chemical|inorganic chemical|"
    "steroid|antibiotic|vitamin|hormone|hazardous or poisonous substance|biomedical or dental material|chemical viewed structurally|"
    "chemical viewed functionally|element, ion, or isotope|indicator, reagent, or diagnostic aid",
    Group.CHEMICAL | Group.PROTEIN: "peptide|t123|t129|t192|biologically active substance|immunologic factor|receptor",
    Group.CHEMICAL | Group.GENE: "t114|nucleic acid, nucleoside, or nucleotide",
    Group.PROTEIN: "protein|enzyme|t116|t126|amino acid, peptide, or protein",
    Group.GENE: "gene|protein-coding|ncrna|pseudo|scrna|snorna|snrna|trna|rrna|biological-region|t028|t085|t086|t087|t088|"
    "gene or genome|molecular sequence|nucleotide sequence|amino acid sequence|carbohydrate sequence",
    Group.ANATOMY: "anatomy|body structure|tissue|t017|t018|t021|t022|t023|t024|t029|t030|t031|anatomical structure|"
    "embryonic structure|fully formed anatomical structure|body system|body part, organ, or organ component|"
    "body location or region|body space or junction|body substance",
    Group.CELL: "cell|cell structure|cell component|cellular_component|t025|t026",
    Group.ORGANISM: "organism|species|t001|t002|t004|t005|t007|t008|t010|t011|t012|t013|t014|t015|t016|t194|t204|plant|fungus|"
    "virus|bacterium|animal|vertebrate|amphibian|bird|fish|reptile|mammal|human|archaeon|eukaryote",
    Group.PROCEDURE: "procedure|protocol|measurement|regime/therapy|t058|t059|t060|t061|t062|t063|t065|health care activity|"
    "laboratory procedure|diagnostic procedure|therapeutic or preventive procedure|research activity|"
    "molecular biology research technique|educational activity",
    Group.PROCESS: "process|biological_process|molecular_function|t032|t038|t039|t040|t041|t042|t043|t044|t045|"
    "organism attribute|biologic function|physiologic function|organism function|mental process|organ or tissue function|"
    "cell function|molecular function|genetic function",
    Group.OTHER: "discipline|health care|humanities|information science|location|person|publication type|social science|"
    "technology|occupation|geographic location|physical object|qualifier value|record artifact",
}  # fmt: skip
_OF_MENTIONS: dict[Group, str] = {
    Group.DISEASE
    | Group.PHENOTYPE: "disease|diseaseclass|specificdisease|compositemention|modifier|diseaseorphenotypicfeature|"
    "phenotype|disorder|condition|symptom|finding|problem|adverse event|adr|hpo",
    Group.CHEMICAL: "chemical|drug|chemicalentity|medication|small molecule|substance|treatment",
    Group.GENE | Group.PROTEIN: "gene|protein|geneorgeneproduct|geneproduct",
    Group.ORGANISM: "species|organism|organismtaxon",
    Group.CELL: "cell|cellline|celltype|cell_type|cell_line",
    Group.ANATOMY: "anatomy|organ|tissue|bodypart",
    Group.PROCEDURE: "procedure|test",
    Group.PROCESS: "process|biologicalprocess",
}
# Vocabularies with few kinds of concepts, for concepts whose types tell nothing. OMIM numbers diseases and genes, MedDRA and
# ICD-9-CM list procedures beside diseases, ICD-O sites beside tumours.
_OF_PREFIXES: dict[Group, str] = {
    Group.DISEASE: "DOID|MONDO|ORPHA|OMIMPS|GARD",
    Group.DISEASE | Group.GENE: "OMIM",
    Group.DISEASE | Group.ANATOMY: "ICDO",
    Group.PHENOTYPE: "HP|MP|SYMP",
    Group.DISEASE | Group.PHENOTYPE: "ICD10|ICD10CM|ICD10GM|ICD11",
    Group.DISEASE | Group.PHENOTYPE | Group.PROCEDURE: "MEDDRA|ICD9CM",
    Group.CHEMICAL: "CHEBI|DRUGBANK|RXNORM|PUBCHEM|PUBCHEM.COMPOUND|UNII|ATC|CAS",
    Group.GENE: "NCBIGENE|HGNC|ENSEMBL|MGI",
    Group.PROTEIN: "UNIPROT|PR",
    Group.CELL: "CL|CVCL",
    Group.ANATOMY: "UBERON|FMA",
    Group.ORGANISM: "NCBITAXON",
    Group.PROCESS: "GO",
}


def _by_name(table: dict[Group, str]) -> dict[str, Group]:
    return {name: group for group, names in table.items() for name in names.split("|")}


# What recognisers and tables call mentions of each group.
_COMMON = {
    Group.DISEASE: "Disease",
    Group.PHENOTYPE: "Phenotype",
    Group.CHEMICAL: "Chemical",
    Group.GENE | Group.PROTEIN: "Gene",
    Group.ORGANISM: "Species",
    Group.CELL: "Cell",
    Group.ANATOMY: "Anatomy",
    Group.PROCEDURE: "Procedure",
    Group.PROCESS: "Process",
}

_TYPES, _MENTIONS, _PREFIXES = _by_name(_OF_TYPES), _by_name(_OF_MENTIONS), _by_name(_OF_PREFIXES)

# Kinds of concepts across terminologies, each of groups that these do not divide alike: one's disease is another's phenotype;
# UNII and ChEBI list proteins among chemicals, NCBI Gene has their names. Processes have no kind: some are findings elsewhere.
_KINDS = (
    Group.DISEASE | Group.PHENOTYPE,
    Group.CHEMICAL | Group.PROTEIN,
    Group.GENE | Group.PROTEIN,
    Group.ANATOMY | Group.CELL,
    Group.ORGANISM,
    Group.PROCEDURE,
)


def group_of_type(types: Iterable[str]) -> Group:
    """The groups of a concept's types; none if all are unknown."""
    group = _NONE
    for name in types:
        group |= _TYPES.get(name.casefold(), _NONE)
    return group


def group_of_id(id: str) -> Group:
    """The groups of the concepts of an id's vocabulary; none if it is unknown or has concepts of many kinds."""
    return _PREFIXES.get(id.partition(":")[0], _NONE)


def group_of_concept(types: Iterable[str], id: str) -> Group:
    """The groups of a concept's types, else of its vocabulary; none if neither is known.

    >>> group_of_concept(["Finding"], "UMLS:C1") == group_of_concept([], "ICD10CM:R05")
    True
    """
    return group_of_type(types) or group_of_id(id)


def group_of_mention(type: str) -> Group:
    """The groups of concepts that a mention of this type may mean; none for an unknown type.

    >>> group_of_mention("SpecificDisease") == Group.DISEASE | Group.PHENOTYPE
    True
    """
    return _MENTIONS.get(type.casefold()) or group_of_type([type])


def agreement(mentions: Ints, concepts: Ints) -> Ints:
    """(M,) 1 where a mention and a concept share a group, −1 where they do not, 0 where one has none.

    mentions, concepts  (M,) groups as numbers

    >>> agreement(np.array([Group.CHEMICAL, Group.GENE, 0]), np.array([Group.PROTEIN, Group.GENE, Group.CELL])).tolist()
    [-1, 1, 0]
    """
    shared = np.where(mentions & concepts, 1, -1)
    return np.where((mentions == 0) | (concepts == 0), 0, shared)


def mention_type(group: Group) -> str:
    """The commonest type of mentions that may mean concepts of this group; "" where there is none.

    >>> mention_type(Group.PROTEIN), mention_type(Group.OTHER)
    ('Gene', '')
    """
    return next((name for own, name in _COMMON.items() if own & group), "")


def single_kind(group: Group) -> str:
    """What mentions of diseases alone, or of chemicals alone, are commonly called; "" for other groups, and several.

    >>> single_kind(group_of_type(["disorder"])), single_kind(group_of_id("CHEBI:1")), single_kind(group_of_id("ICD10:A00"))
    ('Disease', 'Chemical', '')
    """
    return mention_type(group) if group in (Group.DISEASE, Group.CHEMICAL) else ""


def mentions_kind(group: Group) -> str:
    """As `single_kind`, and "Disease" also for types that hold diseases and findings alike; "" for other groups.

    >>> mentions_kind(group_of_type(["Condition"])), mentions_kind(group_of_type(["Phenotype"]))
    ('Disease', '')
    """
    return "Disease" if group == Group.DISEASE | Group.PHENOTYPE else single_kind(group)


def compatible(first: Group, second: Group) -> bool:
    """Whether concepts of two terminologies can be the same: False only if both have a kind and share none.

    Diseases and phenotypes are of one kind, and so are anatomy and cells; a protein is of the kind of chemicals and of the
    kind of genes. Processes and `OTHER` have no kind.

    >>> compatible(Group.PROTEIN, Group.CHEMICAL), compatible(Group.PROTEIN, Group.GENE), compatible(Group.CHEMICAL, Group.GENE)
    (True, True, False)
    """
    kinds, others = ({kind for kind in _KINDS if kind & group} for group in (first, second))
    return not kinds or not others or not kinds.isdisjoint(others)
