"""Accounts on the page: invitations, API tokens, removing an account and bringing it back."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from tests.web.accessibility import flaws, skip_without_axe

pytestmark = pytest.mark.browser

SECRET = "ten letters or more"


def _link(visitor: Any) -> str:
    """The link of the invitation just made, without the address."""
    link: str = visitor.page.get_by_label("Link of the invitation").input_value()
    return link.partition("/invitation")[2]


def test_a_manager_invites_a_stranger_and_somebody_who_has_an_account(
    visit: Callable[..., Any], server: Any, script: Any
) -> None:
    project = script.project("Invited", {"one.txt": "Flumble and dazzle."})
    me = visit(server.address)
    me.open()
    me.sign_in(*script.annotator("mona", project, role="manager"))
    me.open(f"/projects/{project}/members")
    me.page.get_by_label("Role of the invited").select_option("curator")
    me.page.get_by_label(re.compile("^For")).fill("2")
    me.page.get_by_role("button", name="Make an invitation link").click()
    me.page.get_by_text("Only this computer can open it").wait_for()
    link = _link(me)

    stranger = visit(server.address)
    stranger.open(f"/invitation{link}")
    stranger.page.get_by_text("mona invites you to the project Invited, as a curator.").wait_for()
    stranger.page.get_by_label("Name").fill("nina")
    stranger.page.get_by_label(re.compile("^Password")).fill(SECRET)
    stranger.page.get_by_label("Repeat the password").fill("something else")
    stranger.page.get_by_role("button", name="Create account").click()
    stranger.said("The two passwords differ")
    stranger.page.get_by_label("Repeat the password").fill(SECRET)
    stranger.page.get_by_role("button", name="Create account").click()
    stranger.page.get_by_role("link", name="Invited").click()
    stranger.page.get_by_role("link", name="Team").click()
    stranger.page.get_by_role("link", name="Members").click()
    stranger.page.get_by_role("cell", name="nina (you)").wait_for()

    known = visit(server.address)
    name, password = script.annotator("olga")
    known.open(f"/invitation{link}")
    known.page.get_by_role("button", name="I have an account here already").click()
    known.page.get_by_label("Name").fill(name)
    known.page.get_by_label("Password").fill(password)
    known.page.get_by_role("button", name="Sign in").click()
    known.page.get_by_text("You are signed in as olga").wait_for()
    known.page.get_by_role("button", name="Join the project").click()
    known.page.get_by_role("heading", name="Invited").wait_for()

    late = visit(server.address)
    late.open(f"/invitation{link}")
    late.said(
        "This invitation has been used 2 times, as often as it could be. Ask mona or an admin for a new one."
    )
    late.page.get_by_role("link", name="Sign in").wait_for()

    me.open(f"/projects/{project}/members")
    me.page.get_by_role("cell", name="2 of 2: nina, olga").wait_for()
    me.open(f"/projects/{project}/history")
    me.page.get_by_text("became a member by invitation").first.wait_for()


def test_an_admin_invites_to_the_server_and_withdraws(
    ada: Any, visit: Callable[..., Any], server: Any
) -> None:
    ada.open("/accounts")
    ada.page.get_by_role("button", name="Make an invitation link").click()
    link = _link(ada)
    ada.page.get_by_role("button", name="Copy").click()
    ada.page.get_by_text(re.compile("^(Copied|Selected)")).wait_for()
    ada.open(f"/invitation{link}")
    ada.page.get_by_text("the invitation is for a new account").wait_for()
    ada.open("/accounts")
    ada.page.get_by_role("button", name=re.compile("Withdraw the invitation")).first.click()
    ada.said("The invitation was withdrawn")
    other = visit(server.address)
    for path, words in (
        (f"/invitation{link}", "This invitation was withdrawn. Ask ada"),
        ("/invitation#nonsense", "This link is not an invitation to this server"),
        ("/invitation", "The link is incomplete"),
    ):
        other.open("/")
        other.open(path)
        other.said(words)


def test_a_token_made_on_the_page_works_until_it_is_withdrawn(ada: Any, server: Any, script: Any) -> None:
    ada.open("/account")
    ada.page.get_by_label(re.compile("^Name")).fill("nightly")
    ada.page.get_by_label("It may only read").check()
    ada.page.get_by_role("button", name="Make a token").click()
    token = ada.page.get_by_label("Token nightly").input_value()
    assert token.startswith("linnet_")
    headers = {"Authorization": f"Bearer {token}"}
    assert httpx2.get(f"{server.address}/api/projects", headers=headers).is_success
    ada.open("/account")
    row = ada.page.get_by_role("row", name=re.compile("nightly"))
    row.wait_for()
    assert "never" not in row.inner_text()
    assert token not in ada.page.content()
    ada.page.get_by_role("button", name="Withdraw nightly").click()
    ada.said("it is refused from now on")
    refused = httpx2.get(f"{server.address}/api/projects", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (401, "not_signed_in")


def test_a_removed_accounts_work_stays_and_only_the_same_person_gets_the_name(
    ada: Any, server: Any, script: Any, sign_in: Callable[..., Any]
) -> None:
    project = script.project("Removed", {"one.txt": "Flumble and dazzle."}, mode="independent")
    name, password = script.annotator("petra", project)
    document = script.document(project, "one")["id"]
    petra = sign_in(server.address, name, password)
    span = {"start": 0, "end": 7, "type": "Disease", "nil": True, "revision": 0}
    petra.post(f"/documents/{document}/annotations", span)
    ada.open("/accounts")
    page = ada.page
    page.get_by_role("button", name="Remove petra").click()
    page.get_by_text("Stays under the name petra: sheets, annotations and history.").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Remove petra").click()
    page.get_by_role("button", name="Remove the account petra").click()
    ada.said("The account petra was removed. Its work stays.")
    assert [one["text"] for one in script.get(f"/documents/{document}", sheet="petra")["annotations"]] == [
        "Flumble"
    ]

    new = page.locator("form").filter(has=page.get_by_role("heading", name="New account"))
    new.get_by_label("Name").fill("petra")
    new.get_by_label(re.compile("^Password")).fill(SECRET)
    new.get_by_role("button", name="Create account").click()
    ada.said("its work stays under it. Choose another name")
    page.get_by_role("button", name="Bring back petra").click()
    back = page.locator("form").filter(has=page.get_by_role("heading", name="Bring back petra"))
    back.get_by_label(re.compile("^Password")).fill(SECRET)
    back.get_by_role("button", name="Bring back").click()
    ada.said("petra can sign in now.")
    script.put(f"/projects/{project}/members/petra", {"role": "annotator"})
    again = sign_in(server.address, "petra", SECRET)
    assert [one["text"] for one in again.get(f"/documents/{document}")["annotations"]] == ["Flumble"]


def test_the_pages_of_accounts_pass_axe_and_fit_their_window(
    ada: Any, visit: Callable[..., Any], server: Any, script: Any
) -> None:
    skip_without_axe()
    project = script.project("Looks of accounts", {"one.txt": "Gout."})
    script.annotator("rosa")
    link = script.post(f"/projects/{project}/invitations", {"uses": 2})["link"].partition("/invitation")[2]
    visitor = visit(server.address)
    visitor.open(f"/invitation{link}")
    visitor.page.get_by_label("Repeat the password").wait_for()
    found = flaws(visitor.page, "invitation")
    visitor.open("/")
    visitor.open("/invitation#nonsense")
    visitor.said("not an invitation")
    found += flaws(visitor.page, "unknown invitation")
    page = ada.page
    ada.open(f"/invitation{link}")
    page.get_by_role("button", name="Join the project").wait_for()
    found += flaws(page, "joining")
    ada.open("/accounts")
    page.get_by_role("button", name="Remove rosa").click()
    page.get_by_role("button", name="Make an invitation link").click()
    page.get_by_label("Link of the invitation").wait_for()
    found += flaws(page, "accounts")
    ada.open("/account")
    page.get_by_label(re.compile("^Name")).fill("looks")
    page.get_by_role("button", name="Make a token").click()
    page.get_by_label("Token looks").wait_for()
    found += flaws(page, "account")
    ada.open(f"/projects/{project}/members")
    page.get_by_role("button", name="Make an invitation link").click()
    page.get_by_label("Link of the invitation").wait_for()
    found += flaws(page, "members")
    assert found == [], "\n".join(found)
