"""The costs of divisions."""

from __future__ import annotations

from linnet.link.string_costs import COSTS, Kind


def test_each_kind_of_division_has_its_cost() -> None:
    costs = COSTS._replace(separate=0.1, list=0.2, share=0.3, joined=0.4, related=0.5)
    assert [costs.of(kind) for kind in Kind] == [0.1, 0.2, 0.3, 0.4, 0.5]
