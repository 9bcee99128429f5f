"""The default recogniser: the shipped tagger beside, or judging, the names of the terminologies; these alone where it does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linnet.encode.model import open_model
from linnet.encode.named_models import SHIPPED
from linnet.recognise import Recogniser, shared_kind, shared_types
from linnet.recognise.combined import TaggerBesideNames
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.recognise.phenotypes import PhenotypeRecogniser
from linnet.recognise.tagger import Tagger
from linnet.recognise.terminology_names import TerminologyNames

__all__ = ["ALONE", "NAMED", "PHENOTYPE", "combined", "fitting_model"]

ALONE, NAMED = 0.617, 0.25
"""From what probability a mention of the tagger counts that is no name, and a name that the tagger rejects. Both are the CRF's, so they
hold whatever the calibration says. Chosen on documents of NCBI and BC5CDR train held out when it was trained; 0.5 to 0.62 and 0.1 to
0.25 differ by 0.4 points of F1."""

PHENOTYPE = 0.01
"""From what probability the name of a phenotype counts. Chosen on abstracts of MedMentions that the tagger did not learn from, and
on notes: more leaves out too many phenotypes (docs/results/recogniser.md)."""

_TAGGER = "recogniser"


def combined(names: Sequence[TerminologyNames]) -> Recogniser:
    """The shipped tagger and the names of these terminologies: `TaggerBesideNames` where all have types, and one has a type of
    the tagger, or all are of diseases or of chemicals under another name ("disorder", "drug"); `PhenotypeRecogniser` where all
    are of phenotypes; else the names alone.

    Concepts that only qualify others ("severe", "autosomal recessive" of HPO) are not looked up.
    """
    dictionary = DictionaryRecogniser([terminology.without_qualifiers() for terminology in names])
    place = fitting_model(names)
    if place is None:
        return dictionary
    kind, types = shared_kind(names), shared_types(names)
    tagger = Tagger.open(place, types=types | {kind})
    called_so = {name.casefold() for name in types} == {kind.casefold()}
    if _are_phenotypes(names):
        return PhenotypeRecogniser(tagger, dictionary, named=PHENOTYPE)
    return TaggerBesideNames(
        tagger,
        dictionary,
        alone=tagger.confidence(ALONE),
        named=NAMED,
        kind="" if called_so else kind,
        label=next(iter(types)) if len(types) == 1 else kind,
    )


def fitting_model(names: Sequence[TerminologyNames]) -> Path | None:
    """The folder of the tagger that `combined` opens, None if it opens none."""
    place = SHIPPED / _TAGGER
    known = {str(name).casefold() for name in open_model(place, checked=False).options["types"]}
    wanted = {name.casefold() for name in shared_types(names) | {shared_kind(names)}}
    fits = _are_phenotypes(names) or known & wanted
    return place if fits else None


def _are_phenotypes(names: Sequence[TerminologyNames]) -> bool:
    return bool(names) and all(terminology.phenotypes for terminology in names)
