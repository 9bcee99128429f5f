"""An objective from a run file's table: `kind` or `preset`, and options checked against the class."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import field, make_dataclass
from typing import Any, get_type_hints

from linnet.errors import RequestError, UnknownNameError
from linnet.train.objectives import HardPairs, MultiSimilarity, objectives
from linnet.train.objectives.names import NameObjective
from linnet.train.settings import settings_from

__all__ = ["build_objective", "presets"]

# Preset → kind → options. The first kind is the preset's own. Sources: the papers' released code (Le & Nguyen's also
# learns a slack of 1.5σ, which the paper does not have and linnet does not offer), and the values that Le & Nguyen give
# for BC5CDR; the classes' defaults are those for MedMentions.
presets: dict[str, dict[str, dict[str, Any]]] = {
    "sapbert-paper": {"multi-similarity": {"mining": True, "mining_paper": True}},
    "sapbert-release": {"multi-similarity": {"mining": True, "mining_paper": False}},
    "dilbert-release": {"name-triplet": {"margin": 5.0}},
    "le-nguyen-bc5cdr": {
        "prototype-soft-radius": {"margin": 1.6, "rate": 0.01},
        "prototype": {"margin": 1.6},
        "triplet-all": {"margin": 1.6},
        "triplet-down-sampled": {"margin": 1.6},
    },
    "le-nguyen-release": {
        "prototype-soft-radius": {"margin": 1.15, "radius": 10.0},
        "prototype": {"margin": 1.15},
        "triplet-all": {"margin": 1.15, "squared": False},
        "triplet-down-sampled": {"margin": 1.15, "squared": False},
    },
}


def build_objective(table: Mapping[str, Any], *, section: str = "objective") -> Any:
    """The objective that a table asks for.

    kind     name in `linnet.train.objectives.objectives`; may be left out beside a preset
    preset   name in `presets`, whose options stand where the table has none of its own
    others   keyword arguments of the class; for names also `mining` (true for multi-similarity, else false),
             `mining_margin` (0.2) and `mining_paper` (false), see `HardPairs`

    Raises UnknownNameError for a kind or preset, DataError for options that are unknown or of the wrong kind, each
    with what is valid, RequestError where there is neither kind nor preset or where these do not go together.
    """
    kind, preset = table.get("kind"), table.get("preset")
    given = {key: value for key, value in table.items() if key not in ("kind", "preset")}
    if preset is not None:
        if preset not in presets:
            raise UnknownNameError("preset", str(preset), presets)
        kind = kind or next(iter(presets[preset]))
        if kind in objectives and kind not in presets[preset]:
            raise RequestError(
                f"The preset '{preset}' is for {', '.join(presets[preset])}; the [{section}] kind is '{kind}'. "
                "Leave one of the two out."
            )
        given = {**presets[preset].get(kind, {}), **given}
    if kind is None:
        raise RequestError(
            f'[{section}] has no kind. Write for example: kind = "multi-similarity". '
            f"Choose from: {', '.join(objectives)}."
        )
    if kind not in objectives:
        raise UnknownNameError("objective", str(kind), objectives)
    return _made(objectives[kind], given, section)


def _made(cls: type, given: Mapping[str, Any], section: str) -> Any:
    hints = get_type_hints(inspect.getattr_static(cls, "__init__"))
    known = [
        (name, hints[name], field(default=parameter.default))
        for name, parameter in inspect.signature(cls).parameters.items()
        if name != "mining"
    ]
    mined = issubclass(cls, NameObjective)
    if mined:
        known += [
            ("mining", bool, field(default=cls is MultiSimilarity)),
            ("mining_margin", float, field(default=HardPairs().margin)),
            ("mining_paper", bool, field(default=HardPairs().paper)),
        ]
    made: Any = settings_from(given, make_dataclass(cls.__name__, known, frozen=True), section=section)
    options: dict[str, Any] = dict(vars(made))
    if mined:
        margin, paper = options.pop("mining_margin"), options.pop("mining_paper")
        options["mining"] = HardPairs(margin, paper) if options["mining"] else None
    return cls(**options)
