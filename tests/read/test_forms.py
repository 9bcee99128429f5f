"""The forms of a text that names one thing, and what each says was done to get it."""

from __future__ import annotations

import pytest

from linnet.read.forms import Form, forms, is_contested


def by_text(text: str) -> dict[str, Form]:
    """The forms of a text with short forms written out."""
    return {form.text: form for form in forms(text, shorthand=True)}


def test_the_text_itself_is_the_first_form_and_each_text_comes_once() -> None:
    texts = [form.text for form in forms("severe L knee OA", shorthand=True)]
    assert texts[0] == "severe L knee OA"
    assert {"knee OA", "severe knee OA", "knee osteoarthritis"} < set(texts)
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("text", ["HTN", "Lipitor", "hipertensión"])
def test_without_shorthand_nothing_is_written_out(text: str) -> None:
    assert forms(text, shorthand=False) == (Form(text),)


def test_a_form_says_what_was_left_out_and_of_which_kinds() -> None:
    found = by_text("R knee OA, stage 3 (2019)")
    assert found["R knee OA, stage 3"].rules == (("marks", 1.0), ("left out: date", 1.0))
    rules = dict(found["knee osteoarthritis"].rules)
    assert rules.keys() >= {"left out: side", "left out: stage", "short form"}
    assert rules["words"] > dict(found["R knee osteoarthritis"].rules)["words"]


@pytest.mark.parametrize("text", ["levodopa/carbidopa", "Carbidopa and levodopa", "Sinemet"])
def test_drugs_together_have_the_form_of_a_combination(text: str) -> None:
    combined = {text.casefold(): form for text, form in by_text(text).items()}
    assert combined["carbidopa, levodopa drug combination"].has("combination")


def test_a_form_says_how_usual_its_reading_is() -> None:
    found = by_text("?CP")
    doubt = {text: dict(form.rules).get("doubt of the short form", 0.0) for text, form in found.items()}
    assert 0 == doubt["CP"] < doubt["chest pain"] < doubt["cerebral palsy"] < 1


@pytest.mark.parametrize(
    ("text", "other", "rule"),
    [
        ("HTN", "hypertension", "short form"),
        ("Lipitor", "atorvastatin", "lay, brand or foreign name"),
        ("hipertensión arterial", "hypertension", "lay, brand or foreign name"),
        ("Na+", "sodium", "symbol"),
        ("metformin placebo", "placebo", "placebo"),
        ("aspirin 100 MG", "aspirin", "left out: dose"),
        ("severe chronic gout", "gout", "words"),
        ("rheumatoid gout (podagra)", "podagra", "in brackets"),
        ("RG (rheumatoid gout)", "rheumatoid gout", "in brackets"),
    ],
)
def test_what_is_done_to_a_text_is_named(text: str, other: str, rule: str) -> None:
    assert by_text(text)[other].has(rule)
    assert not by_text(text)[text].has(rule)


def test_a_text_that_is_a_sure_short_form_says_so_where_it_is_kept() -> None:
    assert by_text("HTN")["HTN"].has("short form kept")
    assert not by_text("MS")["MS"].has("short form kept")  # several readings


def test_a_number_may_follow_stage_or_type_at_once() -> None:
    assert "type 2 gout" in by_text("type2 gout")


@pytest.mark.parametrize(
    ("text", "contested"),
    [("HTN", True), ("PE", True), ("MS", False), ("asthma", False), ("severe HTN", False)],
)
def test_a_sure_short_form_is_contested(text: str, contested: bool) -> None:
    assert is_contested(text) is contested


def test_a_lay_name_that_is_a_name_elsewhere_means_itself() -> None:
    assert is_contested("HTN")
    assert not any(map(is_contested, ("gallstones", "hay fever", "Lipitor")))
