"""The annotation tool's page in Chromium: how long it takes to be painted, and the browser's work. Used by `annotate_speed.py`."""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright

__all__ = ["chromium", "page_figures", "visitor"]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Milliseconds from the start of the navigation until something is painted: in the frame after it is in the document.
_READY = """((wanted, count) => {
    window.ready = new Promise(done => new MutationObserver((_, observer) => {
        if (document.querySelectorAll(wanted).length < count) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now())));
    }).observe(document, { childList: true, subtree: true }));
})"""
# From the click on a link until all spans are painted.
_OPEN = """([link, marks]) => new Promise(done => {
    const begun = performance.now();
    new MutationObserver((_, observer) => {
        if (document.querySelectorAll(".text mark").length < marks) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
    }).observe(document.body, { childList: true, subtree: true });
    link.click();
})"""
_WORK = ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


def page_figures(
    address: str, cookie: str, *, project: int, name: str, document: int, marks: int, rounds: int
) -> dict[str, Any]:
    """Milliseconds, a list of `rounds` each: `first page`, `projects`, `click` (from the list of documents), `address` (loading
    the document's address in a new browser); `work`: the page's own work of a click by kind, medians."""
    with chromium() as browser:
        long = f"{address}/documents/{document}"
        figures: dict[str, Any] = {
            "first page": _loads(browser, address, "", "form button", 1, rounds),
            "projects": _loads(browser, address, cookie, "#main h1", 1, rounds),
            "address": _loads(browser, long, cookie, ".text mark", marks, rounds),
        }
        return figures | _clicks(browser, address, cookie, project, name, marks, rounds)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser on the path, or the one that LINNET_CHROMIUM names."""
    program = os.environ.get("LINNET_CHROMIUM") or next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        raise RuntimeError("no Chromium: install it, or set LINNET_CHROMIUM to its program")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


def visitor(browser: Browser, cookie: str, *, width: int = 1600, height: int = 1000) -> BrowserContext:
    """Somebody who is signed in, if there is a cookie."""
    context = browser.new_context(viewport={"width": width, "height": height})
    if cookie:
        context.add_cookies([{"name": "linnet_session", "value": cookie, "domain": "127.0.0.1", "path": "/"}])
    return context


def _loads(browser: Browser, address: str, cookie: str, wanted: str, count: int, rounds: int) -> list[float]:
    found = []
    for _ in range(rounds):
        context = visitor(browser, cookie)  # nothing is cached
        context.add_init_script(f"{_READY}({wanted!r}, {count})")
        page = context.new_page()
        page.goto(address)
        page.locator(wanted).nth(count - 1).wait_for(state="attached")
        found.append(float(page.evaluate("window.ready")))
        context.close()
    return found


def _clicks(
    browser: Browser, address: str, cookie: str, project: int, name: str, marks: int, rounds: int
) -> dict[str, Any]:
    context = visitor(browser, cookie)
    page = context.new_page()
    tools = context.new_cdp_session(page)
    tools.send(
        "Performance.enable", {"timeDomain": "threadTicks"}
    )  # processor time of the page, not wall time
    found: list[float] = []
    work: dict[str, list[float]] = {kind: [] for kind in _WORK}
    for _ in range(rounds + 1):
        page.goto(f"{address}/projects/{project}/documents")
        link = page.get_by_role("link", name=name, exact=True)
        link.wait_for()
        page.wait_for_timeout(300)  # what the list itself still does is not part of opening
        before = _work(tools)
        found.append(float(page.evaluate(_OPEN, [link.element_handle(), marks])))
        for kind, seconds in _work(tools).items():
            work[kind].append(1000 * (seconds - before[kind]))
    context.close()
    # The first is the browser's compiling of the scripts.
    return {
        "click": found[1:],
        "work": {kind: statistics.median(values[1:]) for kind, values in work.items()},
    }


def _work(tools: Any) -> dict[str, float]:
    metrics = {one["name"]: one["value"] for one in tools.send("Performance.getMetrics")["metrics"]}
    return {kind: metrics[kind] for kind in _WORK}
