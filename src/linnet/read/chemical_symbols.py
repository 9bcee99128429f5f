"""Names of chemical symbols and formulas: "Na" is sodium, "CaCl(2)" calcium chloride.

Terminologies rarely list symbols, as many are ambiguous ("Ca" is calcium or cancer). Letter case matters: "NO" is nitric
oxide, "no" is not. Written by hand for this project.
"""

from __future__ import annotations

import re

__all__ = ["chemical_name"]

_NAMES = {
    "Ag": "silver", "Al": "aluminum", "Ar": "argon", "As": "arsenic", "Au": "gold", "Ba": "barium", "Be": "beryllium",
    "Bi": "bismuth", "Br": "bromine", "Ca": "calcium", "Cd": "cadmium", "Ce": "cerium", "Cl": "chlorine", "Co": "cobalt",
    "Cr": "chromium", "Cs": "cesium", "Cu": "copper", "Fe": "iron", "Ga": "gallium", "Gd": "gadolinium", "H": "hydrogen",
    "He": "helium", "Hg": "mercury", "I": "iodine", "K": "potassium", "La": "lanthanum", "Li": "lithium",
    "Mg": "magnesium", "Mn": "manganese", "Mo": "molybdenum", "N": "nitrogen", "Na": "sodium", "Ni": "nickel",
    "O": "oxygen", "O2": "oxygen", "P": "phosphorus", "Pb": "lead", "Pd": "palladium", "Pt": "platinum", "Rb": "rubidium",
    "S": "sulfur", "Sb": "antimony", "Se": "selenium", "Si": "silicon", "Sn": "tin", "Sr": "strontium", "Tc": "technetium",
    "Te": "tellurium", "Ti": "titanium", "Tl": "thallium", "U": "uranium", "V": "vanadium", "W": "tungsten",
    "Xe": "xenon", "Zn": "zinc", "Zr": "zirconium",
    "BaCl2": "barium chloride", "CCl4": "carbon tetrachloride", "CO": "carbon monoxide", "CO2": "carbon dioxide",
    "CaCl2": "calcium chloride", "CaCO3": "calcium carbonate", "CdCl2": "cadmium chloride", "CoCl2": "cobaltous chloride",
    "CuSO4": "copper sulfate", "EtOH": "ethanol", "FeSO4": "ferrous sulfate", "H2O": "water", "H2O2": "hydrogen peroxide",
    "H2S": "hydrogen sulfide", "HCl": "hydrochloric acid", "HgCl2": "mercuric chloride", "KBr": "potassium bromide",
    "KCl": "potassium chloride", "KCN": "potassium cyanide", "LiCl": "lithium chloride", "MeHg": "methylmercury",
    "MeOH": "methanol", "MgCl2": "magnesium chloride", "MgSO4": "magnesium sulfate", "N2O": "nitrous oxide",
    "NaCl": "sodium chloride", "NaF": "sodium fluoride", "NaHCO3": "sodium bicarbonate", "NaNO2": "sodium nitrite",
    "NaOH": "sodium hydroxide", "NH3": "ammonia", "NO": "nitric oxide", "NO2": "nitrogen dioxide", "O3": "ozone",
    "SO2": "sulfur dioxide", "ZnCl2": "zinc chloride", "ZnSO4": "zinc sulfate",
    "ACh": "acetylcholine", "DMSO": "dimethyl sulfoxide", "DOX": "doxorubicin", "E2": "estradiol",
    "GSH": "glutathione", "MPTP": "1-methyl-4-phenyl-1,2,3,6-tetrahydropyridine",
    "5-FU": "fluorouracil", "5-HT": "serotonin", "6-OHDA": "oxidopamine", "AraC": "cytarabine",
    "LPS": "lipopolysaccharides", "MTX": "methotrexate", "CsA": "cyclosporine",
}  # fmt: skip
_CHARGE = re.compile(r"(?:\(?\d*[+-]\)?|\(\d*[+-]\))$")
_INDEX = re.compile(r"\((\d+)\)")


def chemical_name(text: str) -> str | None:
    """The name of a text that is a chemical symbol, ion or formula; None for any other text.

    >>> chemical_name("CaCl(2)"), chemical_name("Na+"), chemical_name("Ca(2+)"), chemical_name("no")
    ('calcium chloride', 'sodium', 'calcium', None)
    """
    if len(text) > 10:
        return None
    plain = _INDEX.sub(r"\1", text.strip())
    return _NAMES.get(plain) or _NAMES.get(_CHARGE.sub("", plain))
