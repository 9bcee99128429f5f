"""The words of which strings are composed beside names: what joins them, what describes a case, what denies, what names nothing.

Written for this project from general usage.
"""

from __future__ import annotations

__all__ = [
    "AFTER",
    "BEFORE",
    "DENIED",
    "DENIED_LISTS",
    "DENYING",
    "DOSES",
    "ENDING_DENIAL",
    "FIRST",
    "JOINTS",
    "LAST",
    "PLACEHOLDERS",
    "PRODUCTS",
    "SEPARATORS",
    "THINGS",
]

SEPARATORS = (
    "; ",
    ", ",
    " and ",
    " + ",
    " / ",
    "/",
    " & ",
    "\n",
    " | ",
    " or ",
    ", and ",
    " plus ",
    " - ",
    ". ",
)
ENDING_DENIAL = ("; ", ", ", "\n", " | ")  # "no fever and gout" denies both
JOINTS = (
    " with ",
    " w/ ",
    " due to ",
    " secondary to ",
    " and ",
    " complicated by ",
    " in ",
    " following ",
    " associated with ",
)
BEFORE = (
    "severe", "mild", "acute", "chronic", "recurrent", "known", "h/o", "hx of", "history of", "s/p", "?", "possible", "suspected",
    "left", "right", "L", "R", "bilateral", "PMH:", "stable", "newly diagnosed", "refractory", "advanced", "patients with",
    "c/o", "c/o severe", "1.", "-", "treatment of", "risk of", "poorly controlled", "metastatic", "prevention of",
    "moderate to severe", "previous", "recent", "new onset", "adult", "paediatric", "Stage III", "untreated", "symptomatic",
)  # fmt: skip
AFTER = (
    "2019", "(2018)", "03/2021", "- stable", ", severe", ", left", "(R)", "NOS", "unspecified", "in adults", "in children",
    "x3 days", "for 2 weeks", "stage 2", "grade 3", "[J45.9]", "(ICD-10: I10)", "?", "- resolved", "since 2015", "dx 2012", ", mild",
    "on treatment", "in elderly patients", ", recurrent", "(chronic)", "under control", "3/12", "in remission",
)  # fmt: skip
DOSES = (
    " 20 mg",
    " 500mg bd",
    " 10 mg/day",
    " 5 mg PO daily",
    " 40mg od",
    " 1 g IV",
    " 2.5 mg tablets",
    " 100 mcg",
    " 50 mg tds prn",
)
DENYING = ("no", "denies", "without", "negative for", "no evidence of", "no history of")
DENIED_LISTS = (
    "no {} or {}", "neither {} nor {}", "negative for {} and {}", "denies {} or {}", "no evidence of {} or {}", "no {} nor {}",
)  # fmt: skip
DENIED = (
    "{}: no",
    "{} - denied",
    "{}: negative",
    "{} (absent)",
    "{} excluded",
    "non-{}",
    "anti-{}",
    "{}-like illness",
    "{}-like symptoms",
    "pseudo{}",
    "{}: none",
    "{} ruled out",
)
FIRST = (
    "Anna", "James", "Maria", "Ahmed", "Wei", "Olga", "Peter", "Fatima", "John", "Susan", "Tom", "Yuki", "Carlos", "Emma", "David",
)  # fmt: skip
LAST = (
    "Smith", "Jones", "Garcia", "Müller", "Khan", "Chen", "Novak", "Brown", "Silva", "Sato", "Evans", "Rossi", "Wilson", "Haddad",
)  # fmt: skip
PRODUCTS = (
    "vaccine",
    "cream",
    "ointment",
    "drops",
    "tablets",
    "antibody",
    "antigen",
    "gel",
    "lotion",
    "spray",
    "virus vaccine",
)
THINGS = (
    "table", "garden chair", "blue sofa", "printer cartridge", "parking permit", "kitchen cupboard", "window frame", "bicycle",
    "invoice", "meeting room", "coffee machine", "lamp", "bus ticket", "annual leave", "staff rota", "car keys", "umbrella",
    "desk", "stapler", "curtain rail", "mobile phone charger", "laptop bag", "holiday brochure", "piano lesson", "door handle",
    "football match", "train timetable", "wedding cake", "tax return", "bookshelf", "ward 7", "second floor", "London", "Main Street",
    "Tuesday clinic", "reception desk", "insurance form", "voicemail", "email sent", "quarterly report", "team meeting",
)  # fmt: skip
PLACEHOLDERS = (
    "n/a", "none", "unknown", "see notes", "-", "?", "TBC", "not applicable", "test", "asdf", "12", "03/04/2019", "nil", "pending",
    "xxx", "refer to letter", "as above", "other", "not recorded", "tbd", "2021-03-04", "name@example.org", "no data", "yes",
)  # fmt: skip
