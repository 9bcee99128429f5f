"""Strings that name nothing: placeholders, notes, numbers, dates, addresses. "n/a", "see notes", "TBC", "12/03/2019"."""

# ruff: noqa: E501 (a word list is easier to read in one piece)

from __future__ import annotations

import re

__all__ = ["is_negated", "is_non_answer"]

_WORDS = r"""
n\.?\s?/?\s?a\.? | nil | none | null | nan | n\.?\s?k\.? | n\s?/\s?k | nkda | nka | nad | nil\s+(?:of\s+note|known|significant|acute|else|new)
| unknown | not\s+(?:known|applicable|available|given|recorded|stated|specified|provided|done|tested|sure|reported|documented|
  assessed|mentioned|determined|otherwise\s+specified|yet\s+known|relevant) | unspecified | undetermined | undefined | undisclosed
| (?:to\s+be|tb)\s?(?:confirmed|determined|decided|advised|announced|c|d|a) | pending | awaiting?(?:\s+\w+){0,2} | awaited
| (?:please\s+|pls\s+)?(?:see|refer\s+to|cf\.?|as\s+per|per|check|read|c\.?f\.?)\s+(?:the\s+|my\s+|attached\s+|previous\s+|other\s+|clinic\s+)*
  (?:notes?|letters?|above|below|attached|attachment|comments?|history|text|reports?|records?|file|chart|overleaf|other\s+side|protocol|details?|docs?)
| as\s+(?:above|below|before|previously(?:\s+\w+)?) | see\s+(?:above|below|over) | ditto | same(?:\s+as\s+(?:above|before))? | idem
| other(?:s)? | other\s*[,:(-]?\s*(?:please\s+)?specify\)? | misc(?:ellaneous)?\.? | various | multiple | several | etc\.? | any | all | both | either
| test(?:ing)?(?:\s*(?:test|data|row|entry|patient|record|string|only|\d+))* | dummy(?:\s+\w+)? | sample(?:\s+text)? | example | foo | bar | baz
| x+ | asdf\w* | qwert\w* | zxcv\w* | lorem(?:\s+ipsum)?(?:\s+\w+)* | todo | tbc | tbd | fixme | blank | empty | missing | error | \#(?:n/a|ref!|value!|name\?|null!|div/0!)
| yes | no | y | n | true | false | maybe | ok(?:ay)? | normal | abnormal | positive | negative | healthy | well | fine | good | stable | unchanged
| no\s+(?:comment|data|info(?:rmation)?|diagnosis|change|changes|record|records|entry|answer|response|details?|history|idea|issues?|problems?|
  concerns?|complaints?|abnormalit(?:y|ies)|significant\s+\w+|known\s+\w+(?:\s+\w+)?|past\s+\w+(?:\s+\w+)?|medical\s+\w+|new\s+\w+|acute\s+\w+|meds|medications?)(?:\s+(?:found|given|available|reported|recorded|noted|known|detected))?
| (?:the\s+)?(?:control|experimental|intervention(?:al)?|treatment|active|comparator|comparison|test|study|exposure|sham|observation(?:al)?|non[\s-]?intervention)
  (?:\s+(?:control|comparator|intervention|treatment))?\s*(?:arms?|groups?|cohorts?|subjects?|participants?)(?:\s+[a-d1-9iv]{1,3})?
| (?:arms?|groups?|cohorts?|parts?|sequences?|periods?|phases?|steps?|visits?|dose\s+levels?|regimens?|schedules?)\s+(?:[a-h]|[ivx]{1,4}|\d{1,2}[a-d]?)
| (?:treatment|care|management|practice|therapy)\s+as\s+usual | tau | (?:usual|standard|routine|conventional)\s+(?:care|practice|management)(?:\s+(?:arm|group|only|alone))?
| no\s+(?:interventions?|treatments?|therapy) | observation(?:\s+only)? | wait(?:ing)?[\s-]?list(?:\s+control)? | (?:active|sham)?\s*comparator
| (?:as\s+|the\s+)?same\s+(?:as\s+)?(?:last|previous|prior)\s+(?:visit|time|week|month|appointment|admission|year)
| (?:please\s+|pls\s+)?(?:call|phone|ring|contact|email|page|bleep|inform|notify|ask)\s+(?:back|again|me|us|pt|patient|family|gp|relatives?|ward|doctor|nurse|wife|husband|son|daughter|nok)\b.*
| (?:relatives?|family|interpreter|carer|mother|father|wife|husband|daughter|son|nok|chaperone)\s+(?:present|absent|aware|informed|here|attending|requested|needed|declined)
| (?:refills?|prescriptions?|repeat|meds?|medication|sick\s+note|letter|form|referral|appointment|transport|bed)\s+(?:requests?|requested|needed|required|renewal|refills?|booked|done|sent|completed?)
| deferred | postponed | cancelled | scheduled | rescheduled | withheld | redacted | confidential | illegible | incomplete | duplicate | entered\s+in\s+error
| diagnosis | diagnoses | condition | conditions | disease\s+name | indication | comments? | notes? | free\s+text | details? | description | reason | history | unclear | uncertain
| (?:patient|pt|doctor|dr|nurse|gp)\s+(?:to|will|declined|refused|did\s+not|dna|cancelled|asked|said|states?|left|not)\b.*
| (?:left\s+message|called|phoned|rang|emailed|rebooked?|booked|discharged|deceased|dna|did\s+not\s+attend|will\s+(?:call|phone|review|rebook))(?:\s+\w+){0,5}
| (?:routine\s+|annual\s+|[1-9]\d?\s*(?:/\s?\d+|weeks?|months?|wks?)\s+)?(?:follow[\s-]?up|f/u|fu|r/v|review|check[\s-]?up)(?:\s+(?:in|at|visit|appointment|with|\d+)\b.*)?
"""
_PLACEHOLDER = re.compile(rf"(?:{_WORDS})", re.IGNORECASE | re.VERBOSE)
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_NOTHING = re.compile(
    rf"""[\W\d_]*                                                   # no letter
      | \W*\d+(?:[.,:/-]\d+)*\W*(?:mg|kg|g|cm|mm|m|ml|l|bpm|mmhg|yrs?|years?|yo|y|months?|weeks?|days?|hours?|hrs?|am|pm|%|st|nd|rd|th|x)?\W*
      | \W*\d{{0,2}}(?:st|nd|rd|th)?[\s/.-]*{_MONTH}[\s/.,-]*\d{{1,4}}(?:,?\s*\d{{4}})?\W*    # a date
      | \W*\d{{1,2}}(?:st|nd|rd|th)?[\s/.-]*{_MONTH}\W*
      | \S+@\S+\.\w+ | https?://\S+ | www\.\S+
      | (?:tel|ph|phone|fax|mob|mobile|id|mrn|ref|no|room|ward|bed|nhs\s+no)\W*[\d\s+()/-]+\w?
      | (.)\1{{2,}}                                                # one letter over and over
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EDGE = " \t\n.,;:!?-–—_*()[]{}<>\"'/\\=~"
# "Pt denies", "the patient has no".
_SUBJECT = r"(?:(?:the\s+)?(?:pts?\.?|patients?|he|she|they)\s+(?:(?:has|have|had|with|is|was|reports?|reported)\s+)?)?"
_NEGATED = re.compile(
    rf"{_SUBJECT}(?:no(?!\s*[-.]?\s*(?:reflow|\d))|not|without|w/o|denies|denied|negative\s+for|neg\s+for|nil|never\s+had|"
    r"no\s+(?:evidence|history|sign|signs)\s+of|ruled\s+out|excluded|neither)\s+\S",
    re.IGNORECASE,
)


def is_non_answer(text: str) -> bool:
    """Whether a string names nothing in any terminology, whatever looks like it.

    >>> is_non_answer("see notes"), is_non_answer("03/2019"), is_non_answer("asthma")
    (True, True, False)
    """
    bare = " ".join(text.split()).strip(_EDGE)
    return bool(
        not bare or _PLACEHOLDER.fullmatch(bare) or _NOTHING.fullmatch(bare) or _NOTHING.fullmatch(text.strip())
        or _PLACEHOLDER.fullmatch(text.strip())
    )  # fmt: skip


def is_negated(text: str) -> bool:
    """Whether a string says that something is not there: "no fever", "denies chest pain"."""
    return bool(_NEGATED.match(text.strip()))
