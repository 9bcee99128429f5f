"""The forms and divisions of a string without context, before any look-up."""

from __future__ import annotations

from linnet.link.readings import Division, divisions, forms, says_nothing
from linnet.link.string_costs import Kind


def test_the_text_itself_is_the_first_form() -> None:
    texts = [form.text for form in forms("severe L knee OA", shorthand=True)]
    assert texts[0] == "severe L knee OA"
    assert "knee osteoarthritis" in texts
    assert "knee OA" in texts


def test_without_shorthand_nothing_is_written_out() -> None:
    assert [form.text for form in forms("HTN", shorthand=False)] == ["HTN"]


def test_a_form_says_what_was_left_out_and_how_usual_its_reading_is() -> None:
    by_text = {form.text: form for form in forms("?CP", shorthand=True)}
    assert (by_text["chest pain"].marks, by_text["chest pain"].words) == (True, 0)
    assert by_text["cerebral palsy"].share < by_text["chest pain"].share < 1
    assert by_text["CP"].share == 1


def test_a_symbol_is_a_guess_and_a_placebo_a_placebo() -> None:
    assert [(form.text, form.is_guess) for form in forms("Na+", shorthand=True)] == [
        ("Na+", False),
        ("sodium", True),
    ]
    assert forms("metformin placebo", shorthand=True)[-1].text == "placebo"


def test_separators_that_names_lack_come_before_others() -> None:
    assert divisions("asthma, severe; eczema and hay fever") == (
        Division(Kind.SEPARATE, ("asthma, severe", "eczema and hay fever")),
    )


def test_lists_share_words_and_joints_divide() -> None:
    ways = divisions("breast & ovarian cancer")
    assert Division(Kind.SHARE, ("breast cancer", "ovarian cancer")) in ways
    assert Division(Kind.JOINED, ("asthma", "eczema")) in divisions("asthma w/ eczema")
    assert Division(Kind.RELATED, ("pneumonia", "influenza")) in divisions("pneumonia due to influenza")
    assert Division(Kind.JOINED, ("asthma", "no eczema")) in divisions("asthma without eczema")
    assert divisions("asthma") == ()


def test_what_says_nothing() -> None:
    for item in ("stable", "see notes", "no fever", "2019"):
        assert says_nothing(item), item
    assert not says_nothing("asthma")
