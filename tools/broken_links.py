"""What is wrong with the links of a built site: `python tools/broken_links.py site/` lists it and exits with 1.

Zensical's strict mode knows Markdown's links between pages; this knows what browsers will: pages, headings, pictures, and
what the reference generates. A page that loads anything from another server is an error, too.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["Page", "problems"]


class Page(HTMLParser):
    """A page: what it links to, what it loads, and the anchors it has."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called for each element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(given.get("href", ""))
        elif "src" in given:
            self.loads.append(given["src"])


def problems(site: Path) -> list[str]:
    """A line for each link that leads nowhere and each thing loaded from elsewhere, by page."""
    pages = {file: Page(file) for file in sorted(site.resolve().rglob("*.html")) if file.name != "404.html"}
    found = []
    for file, page in pages.items():
        name = file.relative_to(site.resolve())
        found += [f"{name}: {link} leads nowhere" for link in page.links if _broken(link, file, pages)]
        for load in page.loads:
            if urlsplit(load).netloc:
                found.append(f"{name}: {load} is loaded from another server")
            elif _broken(load, file, pages):
                found.append(f"{name}: {load} is not there")
    return found


def _broken(link: str, file: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    target = target / "index.html" if target.is_dir() else target
    if not target.is_file():
        return True
    return bool(parts.fragment) and target in pages and unquote(parts.fragment) not in pages[target].anchors


if __name__ == "__main__":
    lines = problems(Path(sys.argv[1]))
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.exit(bool(lines))
