"""Short forms are written out as in a clinician's list, and only where they are short forms."""

from __future__ import annotations

from linnet.read.rules import rows
from linnet.read.shorthand import expansions, short_forms_of, write_out_joined


def texts(text: str) -> list[str]:
    return [expansion.text for expansion in expansions(text)]


def test_a_short_form_is_written_out_within_a_text() -> None:
    assert texts("HTN") == ["hypertension"]
    assert texts("R hip OA") == ["R hip osteoarthritis"]
    assert texts("?PE, old DVT") == ["?pulmonary embolism, old deep vein thrombosis"]
    assert texts("asthma") == []


def test_a_brand_is_its_substance() -> None:
    assert texts("Lipitor 20 mg") == ["atorvastatin 20 mg"]


def test_each_reading_has_its_share_the_likeliest_first() -> None:
    first, second = expansions("CP")
    assert (first.text, second.text) == ("chest pain", "cerebral palsy")
    assert first.share > second.share
    assert first.whole
    assert first.share + second.share <= 1


def test_letter_case_counts_unless_the_text_has_only_one() -> None:
    assert texts("htn") == ["hypertension"]
    assert texts("Known htn") == ["Known hypertension"]
    assert texts("In Mi of Rome") == []
    assert texts("In Mi of copd") == ["In Mi of chronic obstructive pulmonary disease"]


def test_words_are_no_short_forms() -> None:
    assert texts("PAIN ALL OVER") == []
    assert texts("pain all over") == []
    assert texts("ALL") == ["acute lymphoblastic leukemia"]
    assert texts("pain in big toe") == []


def test_short_forms_that_hold_a_joint_are_written_out_first() -> None:
    assert write_out_joined("N/V; HTN") == "nausea and vomiting; HTN"
    assert write_out_joined("TDF/FTC") == "TDF/FTC"


def test_the_short_forms_of_a_name() -> None:
    assert "HTN" in short_forms_of("Hypertension")
    assert short_forms_of("a name without any") == []


def test_lay_brand_and_foreign_names_are_synonyms_and_no_abbreviations() -> None:
    synonyms = ("heart attack", "Tylenol", "cáncer de mama", "cancer de mama", "MK-3475")
    assert all(expansions(name)[0].is_synonym for name in synonyms)
    assert not expansions("HTN")[0].is_synonym
    assert not expansions("MI on Tylenol")[0].is_synonym


def test_a_plural_short_form_is_written_out() -> None:
    assert texts("DVTs") == ["deep vein thrombosis"]


def test_every_row_is_complete_and_shares_add_up() -> None:
    shares: dict[str, float] = {}
    for row in (
        row
        for name in ("clinical_shorthand", "drug_names", "lay_names", "foreign_names")
        for row in rows(name)
    ):
        assert row["short"].strip()
        assert row["long"].strip()
        shares[row["short"]] = shares.get(row["short"], 0) + float(row.get("share") or 0.9)
    assert max(shares.values()) <= 1.0001
