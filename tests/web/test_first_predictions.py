"""What finds mentions, and the least probability of predictions, on the page."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

TEXT = {"one.txt": "Patients with gout and asthma had severe cardiomyopathy."}


def test_a_new_project_offers_the_best_recogniser_and_the_settings_change_it(ada: Any, script: Any) -> None:
    ada.open("/projects/new")
    field = ada.page.get_by_label("Predictions find mentions by")
    field.wait_for()
    assert field.input_value() == "combined"
    project = script.project("Recognisers", TEXT, recogniser="combined")
    assert "cardiomyopathy" in _found(script, project)
    _choose(ada, script, project, "Predictions find mentions by", "dictionary")
    assert script.get(f"/projects/{project}")["recogniser"] == "dictionary"


def _choose(ada: Any, script: Any, project: Any, label: str, choice: str) -> None:
    """Change a setting that predictions depend on, and wait for them."""
    ada.open(f"/projects/{project}/settings")
    ada.page.get_by_label(label).select_option(choice)
    ada.page.get_by_text("The model predicts again").wait_for()
    ada.page.get_by_role("button", name="Save").click()
    ada.said("Saved.")
    script.wait(project)


def test_how_mentions_are_linked_is_offered_where_there_is_a_choice(ada: Any, script: Any) -> None:
    project = script.project("Pipelines", TEXT)
    label, invented = "Mentions are linked", {"name": "invented", "description": "invented: for a test"}
    more: list[dict[str, str]] = []

    def with_choices(route: Any) -> None:
        terminologies = route.fetch().json()
        for each in terminologies:
            each["pipelines"] = [*each["pipelines"][:1], *more]
        route.fulfill(json=terminologies)

    ada.page.route("**/api/terminologies", with_choices)
    for path in ("/projects/new", f"/projects/{project}/settings"):
        more[:] = []
        ada.open(path)
        ada.page.get_by_label("Predictions find mentions by").wait_for()
        assert ada.page.get_by_label(label).count() == 0
        more[:] = [invented]
        ada.open(path)
        field = ada.page.get_by_label(label)
        field.wait_for()
        assert field.input_value() == "default"
    field.select_option("invented")
    ada.page.get_by_text("The model predicts again").wait_for()
    ada.page.get_by_role("button", name="Save").click()
    ada.page.get_by_text("Unknown pipeline 'invented'").wait_for()
    ada.page.unroute("**/api/terminologies")


def test_a_project_is_linked_accurately(ada: Any, script: Any) -> None:
    project = script.project("Accurate", TEXT)
    _choose(ada, script, project, "Mentions are linked", "accurate")
    assert script.get(f"/projects/{project}")["pipeline"] == "accurate"
    assert script.get(f"/projects/{project}")["ready"]
    assert "gout" in _found(script, project)


def test_the_least_probability_says_what_it_shows_and_hides(ada: Any, script: Any) -> None:
    project = script.project("Minimum", TEXT)
    made = sum(script.get(f"/projects/{project}/predictions")["by_probability"])
    assert made >= 2
    ada.open(f"/projects/{project}/settings")
    slider = ada.page.get_by_label("Least probability of predictions")
    ada.page.get_by_text(f"this shows {made} and hides 0").wait_for()
    slider.fill("95")
    at_95 = script.get(f"/projects/{project}/predictions")["by_probability"][19]
    ada.page.get_by_text(f"this shows {at_95} and hides {made - at_95}").wait_for()
    ada.page.get_by_role("button", name="Save").click()
    ada.said("Saved.")
    script.wait(project)
    assert len(_found(script, project)) == at_95
    assert script.get(f"/projects/{project}")["min_probability"] == 0.95
    ada.open(f"/projects/{project}/settings")
    ada.page.get_by_text(f"this shows {at_95} and hides {made - at_95}").wait_for()
    ada.open(f"/projects/{project}/queue")


def _found(script: Any, project: int) -> list[str]:
    return [one["text"] for one in script.document(project, "one")["annotations"]]
