"""Composite mentions taken apart without a look at any terminology or gold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.corpora import read
from linnet.read.divide.shared_words import possible_splits


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        # the last lends its end
        ("breast and ovarian cancer", ["breast cancer", "ovarian cancer"]),
        ("breast, ovarian, and colon cancers", ["breast cancers", "ovarian cancers", "colon cancers"]),
        ("breast and/or ovarian cancer", ["breast cancer", "ovarian cancer"]),
        ("liver/kidney failure", ["liver failure", "kidney failure"]),
        ("type 1 and type 2 diabetes", ["type 1 diabetes", "type 2 diabetes"]),
        ("type 1 and 2 diabetes", ["type 1 diabetes", "type 2 diabetes"]),
        ("types I, II and III dorn disease", ["type I dorn disease", "type II dorn disease", "type III dorn disease"]),
        ("stage 3/4 kidney disease", ["stage 3 kidney disease", "stage 4 kidney disease"]),
        ("C6 and C7 deficiency", ["C6 deficiency", "C7 deficiency"]),
        ("Becker and Duchenne muscular dystrophies", ["Becker muscular dystrophies", "Duchenne muscular dystrophies"]),
        ("septal (SD) and midline (MD) defects", ["septal defects", "midline defects"]),
        ("aplasia or hypoplasia of the thymus", ["aplasia of the thymus", "hypoplasia of the thymus"]),
        ("gut, breast and head and neck cancers", ["gut cancers", "breast cancers", "head and neck cancers"]),
        # the first lends its beginning
        ("cancer of the breast and ovary", ["cancer of the breast", "cancer of the ovary"]),
        ("cysts in the kidney, liver, and lung", ["cysts in the kidney", "cysts in the liver", "cysts in the lung"]),
        ("deficiencies of factor VIII and IX", ["deficiencies of factor VIII", "deficiencies of factor IX"]),
        ("hepatitis B and C", ["hepatitis B", "hepatitis C"]),
        ("endometrial hyperplasia or cancer", ["endometrial hyperplasia", "endometrial cancer"]),
        ("BRCA1/2", ["BRCA1", "BRCA2"]),
        # both
        ("palsy of the left and right facial nerve", ["palsy of the left facial nerve", "palsy of the right facial nerve"]),
        # half words
        ("hypo- and hyperthyroidism", ["hypothyroidism", "hyperthyroidism"]),
        ("intra- and extrahepatic cholestasis", ["intrahepatic cholestasis", "extrahepatic cholestasis"]),
        # each a name of its own
        ("asthma and breast cancer", ["asthma", "breast cancer"]),
        ("ribociclib + capecitabine", ["ribociclib", "capecitabine"]),
        ("aspirin plus clopidogrel", ["aspirin", "clopidogrel"]),
        ("insulin vs. metformin", ["insulin", "metformin"]),
        ("cisplatin combined with gemcitabine", ["cisplatin", "gemcitabine"]),
        ("aspirin/clopidogrel", ["aspirin", "clopidogrel"]),
        ("A-T or B", ["A-T", "B"]),
        ("oral prednisone 20 mg/day and metformin 500 mg twice daily", ["prednisone", "metformin"]),
    ],
)  # fmt: skip
def test_lists_are_split_into_whole_names(text: str, parts: list[str]) -> None:
    assert possible_splits(text)[0] == parts


@pytest.mark.parametrize(
    "text",
    ["ovarian cancer", "head and neck cancer", "hand, foot and mouth disease", "graft versus host disease",
     "1,2-dimethylhydrazine", "Na+/K+ ATPase", "and", "", "/", "x" * 300 + " and y"],
)  # fmt: skip
def test_a_text_that_is_not_a_list_is_not_split(text: str) -> None:
    assert possible_splits(text) == []


def test_less_likely_splits_follow() -> None:
    assert ["squamous cell cancer", "basal cell cancer"] in possible_splits(
        "squamous cell and basal cell cancer"
    )
    assert ["cleft lip", "cleft palate"] in possible_splits("cleft lip and palate")
    assert ["breast cancer", "ovarian cancer"] in possible_splits("hereditary breast and ovarian cancer")
    assert ["hereditary breast cancer", "hereditary ovarian cancer"] in possible_splits(
        "hereditary breast and ovarian cancer"
    )


@given(st.text(alphabet="ab ,/+-()andorof 12mg\u00b5", max_size=60))
def test_every_alternative_has_distinct_parts_with_something_in_them(text: str) -> None:
    ways = possible_splits(text)
    assert len(ways) <= 12
    assert len({tuple(way) for way in ways}) == len(ways)
    for way in ways:
        assert len(way) == len(set(way)) >= 2
        assert all(any(c.isalnum() for c in part) for part in way)


@pytest.mark.data
def test_most_listed_mentions_of_bc5cdr_are_split_as_the_annotators_did(data: Path) -> None:
    """Gold parts, where there is a list at all; measured 43 of 52."""
    as_gold = listed = 0
    for document in read(data / "corpora/bc5cdr/CDR_TrainingSet.PubTator.txt"):
        for mention in document.mentions:
            parts = [" ".join(str(part).split()) for part in mention.extra.get("parts", ())]
            if len(parts) > 1 and (" and " in mention.text or " or " in mention.text):
                listed += 1
                as_gold += possible_splits(mention.text)[:1] == [parts]
    assert listed > 40
    assert as_gold >= 0.75 * listed
