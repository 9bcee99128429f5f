"""Objectives from a run file's table: `kind` or `preset`, and options checked against the class."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import field, make_dataclass
from typing import Any, get_type_hints

from linnet.errors import LinnetError, RequestError, UnknownNameError
from linnet.io.settings_files import Checked, settings_and_mistakes, settings_from
from linnet.train.objectives import HardPairs, MultiSimilarity, objectives
from linnet.train.objectives.names import NameObjective

__all__ = ["allowed_objectives", "build_objective", "presets", "with_preset"]

# Preset → kind → options; the first kind is the default. Sources: the papers' released code (Le & Nguyen's also learns a
# slack of 1.5σ, which neither the paper nor linnet has), and Le & Nguyen's values for BC5CDR; the classes' defaults are
# their values for MedMentions.
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

    kind     name in `linnet.train.objectives.objectives`; optional beside a preset
    preset   name in `presets`, whose options are the defaults
    others   keyword arguments of the class; for names also `mining` (true for multi-similarity, else false),
             `mining_margin` (0.2) and `mining_paper` (false), see `HardPairs`

    Raises UnknownNameError for an unknown kind or preset, DataError for invalid options, with the valid ones, RequestError
    where kind and preset are both missing or do not match.
    """
    cls, given = _class_and_options(table, section)
    return _build(cls, settings_from(given, _settings_class(cls), section=section))


def allowed_objectives(*classes: type, automatic: tuple[str, ...] = ()) -> Checked:
    """Check that a run file's table makes an objective of these classes or their subclasses.

    automatic  numbers that may be "auto": the task takes them from its data
    """
    callable_kinds = [kind for kind, cls in objectives.items() if issubclass(cls, classes)]

    def mistakes(table: Mapping[str, Any], section: str) -> list[str]:
        known = {key: 1.0 if key in automatic and value == "auto" else value for key, value in table.items()}
        try:
            cls, given = _class_and_options(known, section)
            if not issubclass(cls, classes):
                name = next(kind for kind, other in objectives.items() if other is cls)
                raise RequestError(
                    f"'{name}' is not for this task. Choose the kind from: {', '.join(callable_kinds)}."
                )
            settings: Any
            settings, mistakes = settings_and_mistakes(given, _settings_class(cls), section=section)
            if not mistakes:
                _build(cls, settings)
        except (LinnetError, ValueError) as error:
            return [f"in [{section}]: {error}"]
        return mistakes

    return Checked(mistakes)


def with_preset(table: Mapping[str, Any], section: str) -> dict[str, Any]:
    """The table with the options of its preset in place of the name of that."""
    cls, given = _class_and_options(table, section)
    return {"kind": next(kind for kind, other in objectives.items() if other is cls), **given}


def _class_and_options(table: Mapping[str, Any], section: str) -> tuple[type, dict[str, Any]]:
    kind, preset = table.get("kind"), table.get("preset")
    for key, name in (("kind", kind), ("preset", preset)):
        if name is not None and not isinstance(name, str):
            raise RequestError(f"'{section}.{key}' is {name!r}; expected a string.")
    given = {key: value for key, value in table.items() if key not in ("kind", "preset")}
    if preset is not None:
        if preset not in presets:
            raise UnknownNameError("preset", preset, presets)
        kind = kind or next(iter(presets[preset]))
        if kind in objectives and kind not in presets[preset]:
            raise RequestError(
                f"The preset '{preset}' is for {', '.join(presets[preset])}; the [{section}] kind is '{kind}'. "
                "Leave one of them out."
            )
        given = {**presets[preset].get(kind, {}), **given}
    if kind is None:
        raise RequestError(
            f'[{section}] has no kind. Write, for example: kind = "multi-similarity". '
            f"Choose from: {', '.join(objectives)}."
        )
    if kind not in objectives:
        raise UnknownNameError("objective", kind, objectives)
    return objectives[kind], given


def _settings_class(cls: type) -> type:
    """The options of an objective, as a settings class."""
    hints = get_type_hints(inspect.getattr_static(cls, "__init__"))
    known = [
        (name, hints[name], field(default=parameter.default))
        for name, parameter in inspect.signature(cls).parameters.items()
        if name != "mining"
    ]
    if issubclass(cls, NameObjective):
        known += [
            ("mining", bool, field(default=cls is MultiSimilarity)),
            ("mining_margin", float, field(default=HardPairs().margin)),
            ("mining_paper", bool, field(default=HardPairs().paper)),
        ]
    return make_dataclass(cls.__name__, known, frozen=True)


def _build(cls: type, settings: Any) -> Any:
    options: dict[str, Any] = dict(vars(settings))
    if issubclass(cls, NameObjective):
        margin, paper = options.pop("mining_margin"), options.pop("mining_paper")
        options["mining"] = HardPairs(margin, paper) if options["mining"] else None
    return cls(**options)
