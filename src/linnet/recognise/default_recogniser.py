"""The default recogniser: the shipped tagger beside, or judging, the names of the terminologies; these alone where it does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linnet.encode.model import open_model
from linnet.encode.named_models import SHIPPED
from linnet.recognise import Recogniser, shared_kinds, shared_types
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.recognise.name_evidence import name_judge
from linnet.recognise.tagger import Tagger
from linnet.recognise.tagger_beside_names import PhenotypeRecogniser, TaggerBesideNames
from linnet.recognise.terminology_names import TerminologyNames
from linnet.words.semantic_groups import Group, group_of_type, single_kind

__all__ = ["ALONE", "NAMED", "PHENOTYPE", "combined", "disorders_in_notes", "fitting_model"]

ALONE, NAMED = 0.617, 0.25
"""From what probability a mention of the tagger counts that is no name, and a name that it did not choose. The first is the CRF's, so it
holds whatever the calibration says; chosen on documents of NCBI and BC5CDR train held out when it was trained. The second is that of
`linnet.recognise.name_evidence`; chosen on the clinical notes to tune on, where 0.2 to 0.3 differ by a point of F1, and the development
sets by 0.1."""

PHENOTYPE = 0.003
"""From what probability the name of a phenotype counts, or of a finding that may be a disease. Chosen on abstracts of MedMentions
that the tagger did not learn from, and on notes: more leaves out too many phenotypes (docs/results/recogniser.md)."""

_IN_NOTES = (Group.PHENOTYPE | Group.PROCESS, Group.ORGANISM)
"""Kinds of names that notes sometimes use for disorders (of behaviour, of organisms); abstracts hardly ever do."""

_TAGGER = "recogniser"


def combined(names: Sequence[TerminologyNames]) -> Recogniser:
    """The shipped tagger and the names of these terminologies: `TaggerBesideNames` where all have types, and one of these means
    diseases or chemicals, whatever it is called ("disorder", "Condition", "drug"); `PhenotypeRecogniser` where all are of
    phenotypes; else the names alone.

    Concepts that only qualify others ("severe", "autosomal recessive" of HPO) are not looked up.
    """
    looked_up = [terminology.without_qualifiers() for terminology in names]
    place = fitting_model(names)
    if place is None:
        return DictionaryRecogniser(looked_up)
    kinds = shared_kinds(names)
    tagger = Tagger.open(place, types=set(kinds.values()))
    if _are_phenotypes(names):
        return PhenotypeRecogniser(tagger, DictionaryRecogniser(looked_up), named=PHENOTYPE)
    findings = [name for name in kinds if not single_kind(group_of_type([name]))]
    return TaggerBesideNames(
        tagger,
        DictionaryRecogniser(looked_up, shorthand=True),
        alone=tagger.confidence(ALONE),
        named=NAMED,
        kinds=kinds,
        in_notes=disorders_in_notes(names) if "Disease" in tagger.types else {},
        rarely=dict.fromkeys(findings, PHENOTYPE),
        judge=name_judge(tagger.features.gazetteers),
    )


def disorders_in_notes(names: Sequence[TerminologyNames]) -> dict[str, str]:
    """Types whose names notes sometimes use for disorders → "Disease"."""
    return {name: "Disease" for name in shared_types(names) if group_of_type([name]) in _IN_NOTES}


def fitting_model(names: Sequence[TerminologyNames]) -> Path | None:
    """The folder of the tagger that `combined` opens, None if it opens none."""
    place = SHIPPED / _TAGGER
    known = {str(name).casefold() for name in open_model(place, checked=False).options["types"]}
    wanted = {kind.casefold() for kind in shared_kinds(names).values()}
    fits = _are_phenotypes(names) or known & wanted
    return place if fits else None


def _are_phenotypes(names: Sequence[TerminologyNames]) -> bool:
    return bool(names) and all(terminology.phenotypes for terminology in names)
