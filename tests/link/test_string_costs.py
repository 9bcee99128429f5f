"""The costs of divisions."""

from __future__ import annotations

from linnet.link.string_costs import COSTS, Kind


def test_each_kind_of_division_has_its_cost() -> None:
    costs = COSTS._replace(
        separate=0.1, commas=0.2, signs=0.3, list=0.4, share=0.5, series=0.55, joined=0.6, related=0.7
    )
    assert {kind: costs.of(kind) for kind in Kind} == {
        Kind.SEPARATE: 0.1,
        Kind.DASHED: 0.1,
        Kind.COMMAS: 0.2,
        Kind.SIGNS: 0.3,
        Kind.LIST: 0.4,
        Kind.SHARE: 0.5,
        Kind.SERIES: 0.55,
        Kind.JOINED: 0.6,
        Kind.ON: 0.6,
        Kind.RELATED: 0.7,
    }
