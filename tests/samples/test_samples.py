"""The packaged starter: well-formed, true to MeSH where MeSH can be asked, and light to load."""

from __future__ import annotations

import csv
import gzip
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from linnet.samples import concepts, documents

# Names that belong to several concepts on purpose: a linker must look at the text to tell them apart.
_AMBIGUOUS = {
    "ad", "as", "at", "bd", "cd", "cf", "cold", "hd", "mg", "mi", "ms", "pd", "pe", "ra", "ts",
}  # fmt: skip


def test_it_holds_a_few_hundred_diseases_symptoms_and_chemicals() -> None:
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    for concept in concepts():
        counts[concept.types] += 1
    assert set(counts) == {("Disease",), ("Disease", "Symptom"), ("Chemical",)}
    assert min(counts.values()) >= 80
    assert 300 <= sum(counts.values()) <= 1000


def test_ids_are_mesh_curies_and_unique() -> None:
    ids = [concept.id for concept in concepts()]
    assert all(re.fullmatch(r"MESH:[CD]\d{6,9}", one) for one in ids)
    assert len(set(ids)) == len(ids)


def test_every_concept_has_a_definition_and_clean_names_without_repeats() -> None:
    for concept in concepts():
        lowered = [name.lower() for name in concept.all_names]
        assert concept.definition.endswith("."), concept.id
        assert all(name == " ".join(name.split()) and name for name in concept.all_names), concept.id
        assert len(set(lowered)) == len(lowered), concept.id


def test_parents_exist_and_lead_to_a_root_without_a_circle() -> None:
    parents = {concept.id: concept.parents for concept in concepts()}

    def depth(one: str, below: tuple[str, ...] = ()) -> int:
        assert one not in below, f"circle through {one}"
        return 1 + max((depth(parent, (*below, one)) for parent in parents[one]), default=0)

    assert max(depth(one) for one in parents) >= 4


def test_only_the_intended_names_are_ambiguous() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for concept in concepts():
        for name in concept.all_names:
            owners[name.lower()].add(concept.id)
    assert {name for name, ids in owners.items() if len(ids) > 1} == _AMBIGUOUS


def test_gold_mentions_lie_where_they_say_in_order_and_do_not_overlap() -> None:
    for document in documents():
        assert document.mentions
        assert all(document.text[m.start : m.end] == m.text for m in document.mentions)
        ends = [0, *(m.end for m in document.mentions)]
        assert all(m.start >= end for m, end in zip(document.mentions, ends, strict=False))


def test_gold_concepts_and_types_are_the_starters() -> None:
    types = {concept.id: concept.types for concept in concepts()}
    for document in documents():
        for mention in document.mentions:
            assert mention.concepts
            assert all(mention.type in types[concept] for concept in mention.concepts)


def test_the_abstracts_say_that_they_are_invented() -> None:
    found = documents()
    assert len(found) == 3
    assert all("invented" in document.text and document.id.startswith("invented-") for document in found)


def test_the_abstracts_hold_abbreviations_composites_and_both_spellings() -> None:
    texts = " ".join(document.text for document in documents())
    assert "Ataxia telangiectasia (AT)" in texts
    assert "leukaemia" in texts and "hematuria" in texts  # noqa: PT018
    composites = [m for document in documents() for m in document.mentions if len(m.concepts) > 1]
    assert {m.text for m in composites} == {"Breast and ovarian cancer", "type 1 and type 2 diabetes"}


def test_loading_it_imports_nothing_heavy() -> None:
    program = (
        "import sys, linnet.samples as s; list(s.concepts()); s.documents(); "
        "print(sorted({'numpy', 'pyarrow', 'scipy', 'faiss', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.data
def test_every_id_exists_in_mesh_and_knows_the_preferred_name(data: Path) -> None:
    folder = data / "terminologies" / "mesh2024"
    names: dict[str, set[str]] = defaultdict(set)
    for file, key, value in [
        ("mesh2024_terms.tsv.gz", "DescriptorUI", "TermName"),
        ("scr_names.tsv.gz", "SupplementalRecordUI", "Name"),
    ]:
        with gzip.open(folder / file, "rt", encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
                names[f"MESH:{row[key]}"].add(row[value].lower())
    wrong = [(c.id, c.name) for c in concepts() if c.name.lower() not in names[c.id]]
    assert wrong == []
