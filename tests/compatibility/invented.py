"""Invented concepts, texts, corpora and run files that the fixtures are made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

__all__ = ["RUNS", "TEXTS", "write_sources"]

Record = dict[str, Any]

_SITES = ("arm", "ankle", "liver", "kidney", "lung", "skin", "eye")
_TROUBLES = {
    "cancer": ("neoplasm of the {}", "{} tumour", "Cancer, {}"),
    "pain": ("pain in the {}", "{} ache"),
    "infection": ("{} infections", "infected {}"),
}
_DISEASES: tuple[Record, ...] = (
    {"id": "T:001", "name": "Disease", "names": [], "types": ["Disease"]},
    {
        "id": "T:002",
        "name": "Gout",
        "names": ["gouty arthritis", "arthritis, gouty"],
        "types": ["Disease"],
        "definition": "Crystals of urate in the joints.",
        "parents": ["T:001"],
        "xrefs": ["OMIM:138900", "DOID:13189"],
        "sources": ["INVENTED"],
    },
    {
        "id": "T:003",
        "name": "Ataxia Telangiectasia",
        "names": ["Louis-Bar syndrome"],
        "types": ["Disease"],
        "parents": ["T:001"],
        "xrefs": ["OMIM:208900"],
        "sources": ["INVENTED", "OTHER"],
    },
    {"id": "T:004", "name": "Common Cold", "names": ["cold", "coryza"], "types": ["Disease"], "parents": ["T:001"]},
    {"id": "T:005", "name": "Cold Temperature", "names": ["cold", "coldness"], "types": ["Phenomenon"]},
    {
        "id": "T:006",
        "name": "Type 2 Diabetes Mellitus",
        "names": ["type II diabetes", "NIDDM", "non-insulin-dependent diabetes"],
        "types": ["Disease"],
        "definition": "Too much sugar in the blood, in spite of insulin.",
        "parents": ["T:001"],
    },
    {"id": "T:007", "name": "Sjögren's Syndrome", "names": ["Sjogren syndrome"], "types": ["Disease", "Syndrome"]},
    {"id": "T:008", "name": "β-Thalassaemia", "names": ["beta thalassemia"], "types": ["Disease"]},
    {"id": "T:009", "name": "Scurvy", "names": ["vitamin C deficiency"], "types": ["Disease"], "parents": ["T:001"]},
    {"id": "T:990", "replaced_by": ["T:002"]},
    {"id": "T:991", "replaced_by": ["T:990"]},
    {"id": "T:992", "replaced_by": []},
)  # fmt: skip
_DRUGS: tuple[Record, ...] = (
    {"id": "D:1", "name": "Allopurinol", "names": ["Zyloric"], "types": ["Chemical"], "definition": "For gout."},
    {"id": "D:2", "name": "Aspirin", "names": ["acetylsalicylic acid", "ASA"], "types": ["Chemical"]},
    {"id": "D:3", "name": "Ascorbic Acid", "names": ["vitamin C"], "types": ["Chemical"]},
)  # fmt: skip
TEXTS = (
    "Ataxia telangiectasia (AT) is rare. AT is inherited, and AT patients should avoid the cold.",
    "Podagra and gouty arthritis were treated with allopurinol after a common cold.",
    "Cancer of the arm, liver and kidney cancer, and a lung tumor. No pain in the ankles.",
    "Sjögren's syndrome, beta-thalassemia, NIDDM and scurvi in one family. Nothing else – 日本語.",
    "Infections of the skin and eye; infected kidney. Aspirin for an arm ache.",
    "",
)
_MENTIONS = (
    "podagra",
    "breast or ovarian gout",
    "liver and kidney cancer",
    "cold",
    "Type-2 diabetis",
    "kidny pain",
    "日本語",
    "AT",
)
_OVERRIDES = "name\tconcept\taction\npodagra\tT:002\tforce\ncold\tT:005\tforbid\nnothing\t*\tforbid\n"


def write_sources(folder: Path) -> None:
    """The files that everything else is made from, in an existing folder."""
    _write_lines(folder / "diseases.jsonl", diseases())
    _write_lines(folder / "drugs.jsonl", _DRUGS)
    (folder / "overrides.tsv").write_text(_OVERRIDES, encoding="utf-8")
    _write_lines(folder / "texts.jsonl", ({"id": f"t{n}", "text": text} for n, text in enumerate(TEXTS)))
    _write_lines(
        folder / "mentions.jsonl", ({"id": f"m{n}", "text": text} for n, text in enumerate(_MENTIONS))
    )
    (folder / "names.csv").write_text(
        "nr,disease,note\n1,podagra,a\n2,,b\n3,liver and kidney cancer,c\n", encoding="utf-8"
    )
    (folder / "train.pubtator").write_text("".join(_annotated(range(48))), encoding="utf-8")
    (folder / "dev.pubtator").write_text("".join(_annotated(range(48, 64))), encoding="utf-8")
    for name, text in RUNS.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def diseases() -> Iterator[Record]:
    """The concepts of the larger terminology."""
    yield from _DISEASES
    for number, (site, (trouble, forms)) in enumerate(product(_SITES, _TROUBLES.items()), 100):
        yield {
            "id": f"T:{number}",
            "name": f"{site.capitalize()} {trouble.capitalize()}",
            "names": [form.format(site) for form in forms],
            "types": ["Disease"],
            "definition": f"It is in the {site}." if number % 2 else "",
            "parents": ["T:001"],
        }


def _annotated(numbers: range) -> Iterator[str]:
    """Documents in the PubTator format, three mentions each; "ailing SITE" is a name that no terminology has."""
    for number in numbers:
        site = _SITES[number % len(_SITES)]
        place = 100 + 3 * (number % len(_SITES))
        title = f"Case {number}: {site} ache"
        body = f"An ailing {site} was seen after {'the common cold' if number % 2 else 'gouty arthritis'}."
        text = f"{title} {body}"
        last = ("common cold", "T:004") if number % 2 else ("gouty arthritis", "T:002")
        spans = [(f"{site} ache", f"T:{place + 1}"), (f"ailing {site}", f"T:{place + 2}"), last]
        rows = [
            f"{number}\t{text.index(name)}\t{text.index(name) + len(name)}\t{name}\tDisease\t{concept}\n"
            for name, concept in spans
        ]
        yield f"{number}|t|{title}\n{number}|a|{body}\n{''.join(rows)}\n"


def _write_lines(path: Path, records: Any) -> None:
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8")


_LOOP = '[loop]\nsteps = {}\nevaluate_every = {}\nthreads = 1\ndevice = "cpu"\n'
_TINY = "layers = 1\nwidth = 16\nheads = 2\nvocabulary = 60\nlearning_rate = 0.01\n"
_CORPUS = 'terminology = "diseases"\ncorpora = ["train.pubtator"]\n'
_EVALUATION = '[evaluation]\nterminology = "diseases"\ncorpora = ["dev.pubtator"]\n'

RUNS = {
    "ngram": f"""task = "synonyms"
output = "models/ngram"
{_LOOP.format(40, 10)}
[encoder]
kind = "ngram"
name = "tiny"
buckets = 512
dimensions = 8
[objective]
kind = "info-nce"
[data]
terminologies = ["diseases"]
pairs = 16
{_EVALUATION}""",
    "transformer": f"""task = "mention-synonyms"
output = "models/transformer"
{_LOOP.format(6, 3)}
[encoder]
kind = "transformer"
pooling = "mean"
{_TINY}
[objective]
kind = "multi-similarity"
[data]
{_CORPUS}pairs = 16
{_EVALUATION}""",
    "two-tower": f"""task = "two-tower"
output = "models/two-tower"
{_LOOP.format(6, 3)}
[encoder]
max_length = 16
{_TINY}
[data]
{_CORPUS}mentions = 8
[evaluation]
corpora = ["dev.pubtator"]
""",
    "dual-transformer": f"""task = "dual"
output = "models/dual-transformer"
{_LOOP.format(4, 2)}
[encoder]
kind = "transformer"
{_TINY}
[objective]
kind = "triplet-all"
[data]
{_CORPUS}retrievers = ["exact", "char"]
candidates = 4
clusters = 4
held_out = 0.2
""",
    "listwise": f"""task = "listwise"
output = "models/listwise"
{_LOOP.format(30, 10)}
[scorer]
hidden = 4
[data]
folds = 3
candidates = 4
retrievers = ["exact", "char"]
encoder = "models/ngram"
lists = 16
[[data.sources]]
{_CORPUS}""",
    "recogniser": f"""task = "recogniser"
output = "models/recogniser"
{_LOOP.format(60, 30)}
[tagger]
width = 8
projected = 8
joined = 8
buckets = 256
dimensions = 8
learning_rate = 0.03
[data]
encoder = "ngram"
held_out = 0.2
[[data.sources]]
corpora = ["train.pubtator"]
[[data.gazetteers]]
name = "diseases"
terminologies = ["diseases"]
""",
    "resumed": f"""task = "synonyms"
output = "models/resumed"
{_LOOP.format(1000, 200)}
[encoder]
kind = "ngram"
buckets = 512
dimensions = 8
[objective]
kind = "info-nce"
[data]
terminologies = ["diseases"]
pairs = 16
{_EVALUATION}""",
}
"""Run file of each model, by its name; the sizes are the smallest that train."""
