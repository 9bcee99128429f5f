"""English words that are names or abbreviations in some terminology, but mean something else in running text.

They are recognised only in the terminology's spelling, capitals included: "CAN" and "Lead" if it has them, never "can" and
"lead". Real names of diseases and symptoms ("cold", "pain") are not listed. Written by hand for this project.
"""

from __future__ import annotations

__all__ = ["COMMON_WORDS", "NEVER_AT_EDGE"]

COMMON_WORDS = frozenset({
    "abstract", "access", "acid", "act", "activities", "activity", "acute", "adult", "adults", "age", "agent", "agents",
    "aid", "aids", "aim", "air", "all", "and", "animal", "animals", "ant", "arch", "area", "arm", "arms", "art", "as",
    "association", "at", "attempt", "bad", "base", "basis", "bat", "be", "bed", "best", "bet", "bid", "big", "birth",
    "blind", "body", "book", "boy", "boys", "bulk", "but", "can", "cap", "car", "care", "case", "cases", "cat", "cats",
    "cause", "cell", "cells", "chance", "change", "child", "children", "chronic", "class", "clear", "clinical", "clip",
    "code", "cohort", "common", "complete", "complex", "concentration", "condition", "conditions", "control",
    "controls", "cord", "cords", "course", "crest", "cut", "damage", "data", "date", "day", "days", "dead", "death",
    "defect", "defects", "deficiency", "deletion", "design", "diagnosis", "diet", "dim", "disease", "diseases",
    "disorder", "disorders", "dog", "dogs", "dose", "drug", "drugs", "due", "ease", "eat", "effect", "effects",
    "emergency", "end", "environment", "era", "evidence", "face", "factor", "factors", "fall", "families", "family",
    "far", "fast", "fat", "female", "females", "few", "fit", "fix", "food", "for", "form", "forms", "function", "gap",
    "gas", "gender", "gene", "genes", "girl", "girls", "goal", "group", "groups", "hand", "hands", "has", "head",
    "health", "help", "her", "his", "home", "hot", "how", "human", "humans", "ice", "impact", "in", "included",
    "increase", "individual", "individuals", "infant", "infants", "is", "it", "lack", "large", "lead", "led", "left",
    "letter", "level", "levels", "lid", "life", "light", "limb", "limit", "line", "lines", "link", "long", "loss",
    "low", "made", "maid", "male", "males", "man", "map", "mass", "max", "may", "mean", "men", "met", "method",
    "methods", "mice", "mild", "mind", "minor", "mode", "model", "models", "modes", "mouse", "must", "mutation",
    "mutations", "name", "net", "new", "no", "norm", "not", "now", "of", "old", "on", "or", "order", "out", "over",
    "pace", "part", "parts", "past", "patient", "patients", "pedigree", "pen", "people", "period", "person", "persons",
    "phase", "phenotype", "phenotypes", "pig", "place", "plan", "point", "poor", "population", "process", "product",
    "protein", "proteins", "quality", "race", "range", "rat", "rate", "rats", "ray", "report", "research", "rest",
    "result", "results", "review", "rise", "risk", "role", "sad", "said", "salt", "same", "sample", "samples", "sand",
    "sap", "saw", "sea", "selection", "set", "severe", "sex", "short", "side", "sign", "signs", "site", "sites", "size",
    "small", "so", "solution", "source", "space", "stage", "star", "state", "still", "stop", "strain", "strains",
    "studies", "study", "subject", "subjects", "such", "survival", "symptom", "symptoms", "syndrome", "syndromes",
    "system", "tablets", "tag", "tan", "tar", "task", "term", "test", "tests", "the", "their", "therapy", "these",
    "thin", "this", "time", "times", "tin", "to", "toll", "top", "total", "trait", "treatment", "trial", "trials",
    "type", "types", "up", "us", "use", "vary", "volume", "walk", "was", "water", "way", "we", "well", "were", "white",
    "who", "will", "with", "woman", "women", "work", "year", "years", "young",
})  # fmt: skip

# Words that no mention begins or ends with, besides `linnet.text.LITTLE`.
NEVER_AT_EDGE = frozenset({
    "after", "against", "all", "also", "although", "among", "any", "are", "be", "because", "been", "before", "being",
    "between", "both", "but", "can", "cause", "caused", "causes", "could", "did", "do", "does", "during", "each",
    "either", "found", "had", "has", "have", "having", "here", "how", "however", "if", "is", "it", "its", "may",
    "might", "more", "most", "must", "not", "our", "patient", "patients", "shall", "should", "showed", "shown", "since",
    "some", "such", "than", "that", "their", "them", "then", "there", "these", "they", "this", "those", "through",
    "thus", "under", "until", "upon", "was", "we", "were", "what", "when", "where", "whereas", "whether", "which",
    "while", "who", "whose", "will", "within", "without", "would",
})  # fmt: skip
