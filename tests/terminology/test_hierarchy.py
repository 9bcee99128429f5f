"""A hierarchy stays free of cycles whatever edges are offered."""

from __future__ import annotations

from graphlib import TopologicalSorter

from hypothesis import given
from hypothesis import strategies as st

from linnet.terminology.hierarchy import Hierarchy

NODES = [str(number) for number in range(7)]


@given(st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=40))
def test_only_edges_that_close_a_cycle_are_refused(edges: list[tuple[str, str]]) -> None:
    hierarchy = Hierarchy()
    for child, parent in edges:
        closes = hierarchy.is_above(child, parent)
        assert hierarchy.add(child, parent) is not closes
    graph = {node: hierarchy.parents(node) for node in NODES}
    assert set(TopologicalSorter(graph).static_order()) == set(NODES)


def test_trusted_edges_are_kept_but_for_a_concept_below_itself() -> None:
    hierarchy = Hierarchy()
    hierarchy.trust("a", ["b", "a"])
    assert hierarchy.parents("a") == ("b",)
    assert not hierarchy.add("b", "a")
    assert hierarchy.add("a", "b")
