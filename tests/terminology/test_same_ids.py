"""Terminologies that use one id for different concepts are refused; the same concepts under one id are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.same_ids import check_same_ids
from linnet.types import Concept

Write = Callable[[Sequence[Concept]], Terminology]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(concepts: Sequence[Concept]) -> Terminology:
        return write_terminology(concepts, tmp_path / f"t{len(list(tmp_path.iterdir()))}")

    return write


def numbered(prefix: str, names: Sequence[str]) -> list[Concept]:
    return [Concept(f"{prefix}{number}", name) for number, name in enumerate(names)]


def test_an_id_without_a_prefix_that_means_two_concepts_is_refused_with_both_ways_out(write: Write) -> None:
    first = write([Concept("1", "Asthma"), Concept("2", "Gout"), Concept("MESH:D1", "Malaria")])
    second = write(
        [Concept("1", "Aspirin"), Concept("2", "Podagra", ("gout",)), Concept("MESH:D1", "Malaria")]
    )
    with pytest.raises(RequestError, match=r"\(1 found\), e\.g\. 1: 'Asthma' and 'Aspirin'") as refusal:
        check_same_ids([first, second])
    assert refusal.value.advice == (
        Step.BUILD_WITH_PREFIX(terminology=second.path, prefix="NAME"),
        Step.MERGE_TERMINOLOGIES(first=first.path, second=second.path),
    )


def test_the_last_of_three_terminologies_is_compared_with_the_first_too(write: Write) -> None:
    three = [write([Concept("1", "Asthma")]), write([Concept("2", "Gout")]), write([Concept("1", "Aspirin")])]
    with pytest.raises(RequestError, match="'Asthma' and 'Aspirin'"):
        check_same_ids(three)


def test_one_different_id_among_many_without_a_prefix_is_found(write: Write) -> None:
    names = [f"disease {number}" for number in range(3_000)]
    other = [*names[:1_501], "gout", *names[1_502:]]
    with pytest.raises(RequestError, match=r"\(1 found\), e\.g\. 1501: 'disease 1501' and 'gout'"):
        check_same_ids([write(numbered("", names)), write(numbered("", other))])


def test_ids_with_a_prefix_are_refused_if_most_of_them_mean_other_concepts(write: Write) -> None:
    diseases = write(numbered("ACME:", ["asthma", "gout", "malaria", "leprosy"]))
    drugs = write(numbered("ACME:", ["aspirin", "allopurinol", "quinine", "leprosy"]))
    with pytest.raises(RequestError, match=r"\(3 found\).*prefix of another vocabulary"):
        check_same_ids([diseases, drugs])


def test_releases_of_one_vocabulary_may_rename_some_concepts(write: Write) -> None:
    older = write(numbered("MESH:D", ["asthma", "gout", "malaria", "mongolism", "leprosy"]))
    newer = write(numbered("MESH:D", ["Asthma", "podagra", "Malaria", "down syndrome", "Leprosy"]))
    check_same_ids([older, newer])


def test_a_terminology_may_be_given_twice_and_plain_ids_of_the_same_concepts_are_no_conflict(
    write: Write,
) -> None:
    first = write([Concept("1", "Asthma"), Concept("E11", "Type 2 diabetes")])
    second = write([Concept("1", "bronchial asthma", ("asthma",)), Concept("E12", "Aspirin")])
    check_same_ids([first, first])
    check_same_ids([first, second, first])
