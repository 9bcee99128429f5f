"""Searching the mentions of a whole project. Used by `annotate_speed.py`."""

from __future__ import annotations

import random
from collections.abc import Callable

from annotate_server import Caller
from annotate_tables import Figure
from measuring import quantile, seconds

from linnet.terminology import Terminology

__all__ = ["mention_figures"]

DOCUMENTS, MENTIONS = 2000, 15
_TIMES = 15
_SEED = 5


def mention_figures(admin: Caller, project: int, terminology: Terminology) -> list[Figure]:
    """By text, by concept, and for inconsistent links, among 30,000 annotations of invented documents."""
    generator = random.Random(_SEED)
    names = _names(terminology, generator)
    admin.upload(
        project, "many.txt", "\n\n".join(_document(names, number, generator) for number in range(DOCUMENTS))
    )
    admin.wait(project)
    path = f"/projects/{project}/mentions"
    text, concept = names[0]
    total = admin.call("GET", path, layer="gold", limit=1)["total"]
    kinds: dict[str, Callable[[], object]] = {
        "any, a page of 50": lambda: admin.call("GET", path, limit=50),
        "of a text": lambda: admin.call("GET", path, text=text, whole="true", limit=2000),
        "of a concept": lambda: admin.call("GET", path, concept=concept, limit=2000),
        "texts with different links": lambda: admin.call("GET", f"{path}/inconsistent"),
    }
    figures = []
    for kind, call in kinds.items():
        times = [seconds(call) for _ in range(_TIMES)]
        what = f"search among {total:,} mentions of {DOCUMENTS:,} documents, {kind}: median"
        figures.append(Figure(what, 1000 * quantile(times, 0.5), "ms", 2000))
    return figures


def _names(terminology: Terminology, generator: random.Random) -> list[tuple[str, str]]:
    """Names that are one line, with their concepts; the first ones come often."""
    rows = generator.sample(range(len(terminology)), min(400, len(terminology)))
    pairs = [(" ".join(terminology.name(row).split()), terminology.ids[row]) for row in rows]
    return [(name, id) for name, id in pairs if 3 < len(name) < 60]


def _document(names: list[tuple[str, str]], number: int, generator: random.Random) -> str:
    """PubTator: words, and mentions that one in fifty times are linked to another concept."""
    parts, lines = [f"Case {number}"], []
    length = len(parts[0]) + 1
    for _ in range(MENTIONS):
        name, id = names[min(int(generator.expovariate(0.05)), len(names) - 1)]
        if generator.random() < 0.02:
            id = generator.choice(names)[1]
        filler = f"w{generator.randrange(10**6)} w{generator.randrange(10**6)}"
        start = length + len(filler) + 1
        lines.append(f"{number}\t{start}\t{start + len(name)}\t{name}\tDisease\t{id}")
        parts += [filler, name]
        length = start + len(name) + 1
    return f"{number}|t|{parts[0]}\n{number}|a|{' '.join(parts[1:])}\n" + "\n".join(lines)
