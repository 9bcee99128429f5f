"""What the Le & Nguyen experiments call things in tables and pictures."""

from __future__ import annotations

__all__ = ["COLOURS", "KS", "SHORT", "SRN", "TITLES", "VARIANTS"]

KS = (1, 2, 4, 8, 16, 32, 64)
SHORT = {
    "triplet-all": "TLA",
    "triplet-down-sampled": "TLD",
    "prototype": "PTL",
    "prototype-soft-radius": "PTL + SRN",
}
# Variant → what it is, and the objective it varies.
VARIANTS = {
    "triplet-all-unsquared": ("TLA without the squares", "triplet-all"),
    "soft-radius-tight": ("PTL + SRN, ϵ = 0", "prototype-soft-radius"),
    "soft-radius-paper": ("PTL + SRN, λ₀ = 11", "prototype-soft-radius"),
}
TITLES = {
    "bc5cdr-disease": "BC5CDR disease",
    "ncbi": "NCBI disease",
    "medmentions": "MedMentions (Mondo/HPO/DO)",
}
COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA7700", "#66CCEE", "#AA3377", "#777777", "#000000")
SRN = "prototype-soft-radius"
