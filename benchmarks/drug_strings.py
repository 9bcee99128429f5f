"""Whether strengths, units and forms count: strings of drugs linked to clinical drugs that differ in nothing else.

    LINNET_DATA=… python benchmarks/drug_strings.py [--part tune|score] [--write docs/results/drug-strings.md]

The terminology is made from two tables of `corpora/drug-strings`: each distinct combination of ingredients, amounts and form is a
concept ("quetiapine 200 MG Oral Tablet"), with its brands as further names ("quetiapine 200 MG Oral Tablet [Seroquel]"). Asked are

    products   Belgian product names as they are registered ("SEROQUEL C 200 MG 60 COMPRIMES PELLICULES")
    british    British names of prescribable products ("Glucosamine sulfate 500mg / Ascorbic acid 25mg tablets")
    written    prescriptions made from concepts, seed 0: brand or ingredient, amount in any unit, form in short, in any order

An answer is right if the first concept is. Half of the texts by their SHA-1 are to tune on; `--part score` is for the other half.
Needs scikit-learn and rapidfuzz (benchmarks/peers.txt).
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

# Words of the sources → the form as RxNorm writes it; the first that occurs counts.
FORMS = {
    "LIBERATION PROLONGEE": "Extended Release Oral Tablet", "LIBERATION MODIFIEE": "Extended Release Oral Capsule",
    "EFFERVESCENT": "Effervescent Oral Tablet", "A CROQUER": "Chewable Tablet", "A MACHER": "Chewable Tablet",
    "ORODISPERSIBLE": "Disintegrating Oral Tablet", "COMPRIME": "Oral Tablet", "GELULE": "Oral Capsule", "CAPSULE": "Oral Capsule",
    "SIROP": "Oral Solution", "SUSPENSION BUVABLE": "Oral Suspension", "GOUTTES": "Oral Drops", "SACHET": "Oral Powder",
    "SUPPOSITOIRE": "Rectal Suppository", "POMMADE": "Topical Ointment", "CREME": "Topical Cream", "PATCH": "Transdermal Patch",
    "COLLYRE": "Ophthalmic Solution", "STYLO": "Pen Injector", "SERINGUE": "Prefilled Syringe", "INJECT": "Injectable Solution",
    "PERFUSION": "Injectable Solution", "INHAL": "Inhalant", "TABLETS": "Oral Tablet", "CAPSULES": "Oral Capsule",
    "EYE DROPS": "Ophthalmic Solution", "ORAL SOLUTION": "Oral Solution", "INJECTION": "Injectable Solution",
}  # fmt: skip
SHORT = {
    "Oral Tablet": ("tab", "tabl.", "tablets", "po tab"), "Oral Capsule": ("caps", "cap.", "capsules"),
    "Oral Solution": ("sol", "syrup"), "Injectable Solution": ("inj", "amp", "for injection"), "Topical Cream": ("crm", "cream"),
    "Extended Release Oral Tablet": ("XR tab", "retard", "ER tablets"), "Effervescent Oral Tablet": ("eff tab", "effervescent"),
}  # fmt: skip
UNITS = {"g": 1000.0, "mg": 1.0, "mcg": 0.001, "microgram": 0.001, "milligram": 1.0, "gram": 1000.0}
WRITTEN = 1500
Strength = tuple[str, float, str]  # ingredient, amount, unit: in mg where it is a mass


class Product(NamedTuple):
    """A string, and what it holds."""

    source: str
    text: str
    strengths: tuple[Strength, ...]
    form: str
    brand: str


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=("tune", "score"), default="tune")
    parser.add_argument(
        "--write", type=Path, help="page whose table is replaced, between <!-- drug-strings --> marks"
    )
    parser.add_argument("--out", type=Path, default=Path("bench-out/drug-strings"))
    options = parser.parse_args()
    folder = Path(os.environ.get("LINNET_DATA", "../shared/data")) / "corpora/drug-strings"
    if not folder.is_dir():
        sys.exit(f"{folder} is missing. Set LINNET_DATA.")
    products = [*belgian(folder), *british(folder)]
    names = concepts(products)
    asked = [*((p.source, p.text, key(p)) for p in products), *written(products)]
    chosen = [each for each in dict.fromkeys(asked) if part_of(each[1]) == options.part]
    table = measured(names, chosen, options.out)
    print(table)
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        mark = f"<!-- drug-strings {options.part} -->"
        page = re.sub(
            rf"({mark}\n).*?(<!-- end -->)", lambda m: f"{m[1]}{table}\n{m[2]}", page, flags=re.DOTALL
        )
        options.write.write_text(page, encoding="utf-8")
    return 0


def part_of(text: str) -> str:
    return "tune" if hashlib.sha1(text.encode()).digest()[0] % 2 else "score"


def belgian(folder: Path) -> Iterator[Product]:
    """Products of which every ingredient has an amount, and whose form is known."""
    brands = {row["MAST_PRD_NAME"]: row["CONCEPT_NAME"] for row in _rows(folder / "ggr_brands.tsv", "\t")}
    grouped = defaultdict(list)
    for row in _rows(folder / "ggr_strengths.tsv", "\t"):
        grouped[row["PRD_NAME"]].append(row)
    for text, rows in grouped.items():
        strengths = [_strength(row["CONCEPT_NAME"], row["amount_value"], row["amount_unit"]) for row in rows]
        words = text.split()
        brand = next(
            (brands[start] for n in range(len(words), 0, -1) if (start := " ".join(words[:n])) in brands), ""
        )
        yield from _product("products", text, strengths, brand)


def british(folder: Path) -> Iterator[Product]:
    """The same of the British names."""
    grouped = defaultdict(list)
    for row in _rows(folder / "dmd_vmps.csv", ";"):
        grouped[row["drug_concept_name"]].append(row)
    for text, rows in grouped.items():
        strengths = [
            _strength(row["ingredient_concept_name"], row["amount_value"], row["amount_name"]) for row in rows
        ]
        yield from _product("british", text, strengths, "")


def _product(source: str, text: str, strengths: Sequence[Strength | None], brand: str) -> Iterator[Product]:
    form = next((form for word, form in FORMS.items() if word in text.upper()), "")
    known = tuple(sorted({strength for strength in strengths if strength is not None}))
    if form and known and all(strengths) and len({strength[0] for strength in known}) == len(known):
        yield Product(source, text, known, form, brand)


def _strength(ingredient: str, value: str, unit: str) -> Strength | None:
    try:
        amount = float(value.replace(",", "."))
    except ValueError:
        return None
    unit = unit.strip().lower()
    if not ingredient.strip() or not unit:
        return None
    return (
        (ingredient.strip(), amount * UNITS[unit], "MG")
        if unit in UNITS
        else (ingredient.strip(), amount, unit.upper())
    )


def key(product: Product) -> tuple[object, ...]:
    """What tells concepts apart."""
    return (product.strengths, product.form)


def concepts(products: Sequence[Product]) -> dict[tuple[object, ...], list[str]]:
    """Concept → its names, the preferred one first."""
    names: dict[tuple[object, ...], list[str]] = {}
    for product in products:
        plain = f"{' / '.join(f'{name} {_number(amount)} {unit}' for name, amount, unit in product.strengths)} {product.form}"
        own = names.setdefault(key(product), [plain])
        if product.brand and f"{plain} [{product.brand}]" not in own:
            own.append(f"{plain} [{product.brand}]")
    return names


def written(products: Sequence[Product]) -> Iterator[tuple[str, str, tuple[object, ...]]]:
    """Prescriptions as people write them."""
    draw = random.Random(0)
    single = [p for p in products if len(p.strengths) == 1 and p.strengths[0][2] == "MG" and p.form in SHORT]
    for product in draw.choices(single, k=WRITTEN):
        [(ingredient, amount, _)] = product.strengths
        name = product.brand if product.brand and draw.random() < 0.4 else ingredient
        parts = [
            draw.choice((name.lower(), name, name.upper())),
            _written(amount, draw),
            draw.choice(SHORT[product.form]),
        ]
        if draw.random() < 0.3:
            parts = [parts[2], *parts[:2]]
        elif draw.random() < 0.2:
            parts = [parts[1], parts[0], parts[2]]
        yield "written", " ".join(parts), key(product)


def _written(amount: float, draw: random.Random) -> str:
    choices = [(amount, ("mg", "MG", "milligram", "mgs"))]
    if amount >= 100:
        choices.append((amount / 1000, ("g", "gr", "G")))
    if amount < 1:
        choices.append((amount * 1000, ("mcg", "µg", "microgram", "ug")))
    value, units = draw.choice(choices)
    number = _number(value)
    if draw.random() < 0.2:
        number = number.replace(".", ",")
    return number + draw.choice(("", " ")) + draw.choice(units)


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


def measured(
    names: dict[tuple[object, ...], list[str]],
    asked: Sequence[tuple[str, str, tuple[object, ...]]],
    out: Path,
) -> str:
    """The share of right answers of each system by source, as a table."""
    ids = {concept: f"DRUG:{number}" for number, concept in enumerate(names, 1)}
    texts, gold = [text for _, text, _ in asked], [ids[concept] for *_, concept in asked]
    sources = np.array([source for source, *_ in asked])
    rows = []
    for system, answers in systems(names, ids, texts, out):
        right = np.array([answer == id for answer, id in zip(answers, gold, strict=True)])
        shares = [100 * right[sources == source].mean() for source in ("products", "british", "written")]
        rows.append(
            f"| {system} | {100 * right.mean():.1f} | "
            + " | ".join(f"{share:.1f}" for share in shares)
            + " |"
        )
    counts = " | ".join(
        f"{source} ({(sources == source).sum():,})" for source in ("products", "british", "written")
    )
    return "\n".join(
        [
            f"{len(names):,} concepts.\n",
            f"| right, % | all ({len(texts):,}) | {counts} |",
            "|---|--:|--:|--:|--:|",
            *rows,
        ]
    )


def systems(
    names: dict[tuple[object, ...], list[str]],
    ids: dict[tuple[object, ...], str],
    texts: Sequence[str],
    out: Path,
) -> Iterator[tuple[str, list[str]]]:
    """Each system and its first answers."""
    import linnet

    out.mkdir(parents=True, exist_ok=True)
    write_terminology(names, ids, out)
    for label, changes in (("linnet, default", {}), ("linnet, without the reranker", {"reranker": None})):
        links = linnet.load(out / "drugs", **changes).link(list(texts), k=1)
        yield label, [link.candidates[0].concept if link.candidates else "" for link in links]
    flat = [(name, ids[concept]) for concept, own in names.items() for name in own]
    for label, search in (
        ("scikit-learn TF-IDF, characters 2–5", tfidf),
        ("rapidfuzz, token set ratio", fuzzy),
    ):
        best = search([name for name, _ in flat], texts)
        yield label, [flat[row][1] for row in best]


def write_terminology(
    names: dict[tuple[object, ...], list[str]], ids: dict[tuple[object, ...], str], out: Path
) -> None:
    """Compile and index the concepts in `out/drugs`."""
    import linnet

    lines = [{"id": ids[concept], "name": own[0], "synonyms": own[1:]} for concept, own in names.items()]
    (out / "drugs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    linnet.build(out / "drugs.jsonl", out / "drugs", overwrite=True)


def tfidf(names: Sequence[str], texts: Sequence[str]) -> list[int]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 5))
    index = vectorizer.fit_transform(names)
    return [int(row) for row in np.asarray((vectorizer.transform(texts) @ index.T).todense()).argmax(axis=1)]


def fuzzy(names: Sequence[str], texts: Sequence[str]) -> list[int]:
    from rapidfuzz import fuzz, process, utils

    scorer: Callable[..., float] = fuzz.token_set_ratio
    return [
        int(process.cdist([text], names, scorer=scorer, processor=utils.default_process)[0].argmax())
        for text in texts
    ]


def _rows(path: Path, delimiter: str) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter=delimiter)


if __name__ == "__main__":
    sys.exit(main())
