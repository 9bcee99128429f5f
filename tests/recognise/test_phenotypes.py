"""Names of phenotypes that the shipped tagger judges, invented texts."""

from __future__ import annotations

import pytest
from tests.recognise.test_dictionary import invented

from linnet.encode.named_models import SHIPPED
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.recognise.tagger import Tagger
from linnet.recognise.tagger_beside_names import JUDGING, PhenotypeRecogniser
from linnet.types import Document, Mention

NAMES = DictionaryRecogniser(
    [invented({"Seizure": "", "Microcephaly": "", "Hydrocephalus": "", "Onset": ""})]
)
TAGGER = Tagger.open(SHIPPED / "recogniser")
TEXT = "She had seizures and microcephaly; onset was at two years."


def found(text: str, *, named: float) -> list[str]:
    [document] = PhenotypeRecogniser(TAGGER, NAMES, named=named).recognise([Document("d", text)])
    return [mention.text for mention in document.mentions]


def test_names_that_are_hardly_a_disease_or_phenotype_are_left_out() -> None:
    assert found(TEXT, named=0.0) == ["seizures", "microcephaly", "onset"]
    assert found(TEXT, named=0.01) == ["seizures", "microcephaly"]


def test_the_tagger_adds_no_mention_of_its_own() -> None:
    assert [m.text for m in TAGGER.recognise([Document("d", "She had asthma.")])[0].mentions] == ["asthma"]
    assert found("She had asthma.", named=0.01) == []


def test_a_text_that_is_a_name_counts_whatever_the_tagger_says() -> None:
    assert found("Onset.", named=1.0) == ["Onset"]
    assert found("Her seizures.", named=1.0) == []


def test_probabilities_are_the_sum_of_the_types_and_those_of_a_document_alone() -> None:
    documents = NAMES.recognise(
        [Document("a", TEXT), Document("b", ""), Document("c", "Hydrocephalus was seen.")]
    )
    together = TAGGER.span_probabilities(documents, types=JUDGING)
    assert together == [TAGGER.span_probabilities([document], types=JUDGING)[0] for document in documents]
    single = [TAGGER.span_probabilities(documents, types={type}) for type in sorted(JUDGING)]
    for both, disease, phenotype in zip(together, *single, strict=True):
        for whole, *parts in zip(both, disease, phenotype, strict=True):
            assert whole == pytest.approx(sum(parts))
    assert [len(probabilities) for probabilities in together] == [3, 0, 1]


def test_a_mention_that_is_not_of_whole_tokens_has_no_probability() -> None:
    document = Document("d", TEXT)
    inside = document.with_mentions([Mention(document, 9, 15, TEXT[9:15], "")])
    assert TAGGER.span_probabilities([inside], types=JUDGING) == [[None]]
