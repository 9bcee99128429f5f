"""Words that describe a case and not the thing: "?recurrent L knee OA, stage 3 (2019)" → "knee OA".

Whether a name has such a word ("acute myeloid leukemia") only a terminology shows. `without_qualifiers` therefore returns
the text with all, some and none of them, for the caller to look up.
"""

# ruff: noqa: E501 (a word list is easier to read in one piece)

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from linnet.read.doses import strip_doses

__all__ = ["Bare", "is_only_qualifiers", "without_qualifiers"]

_MOST = 3  # descriptive words that are left out in all combinations; more only together
_LONGEST = 300
_CACHED = 20_000

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_DATE = rf"""(?: \d{{1,2}}[/.-]\d{{1,2}}[/.-](?:\d{{4}}|\d{{2}}) | \d{{4}}-\d{{1,2}}(?:-\d{{1,2}})? | \d{{1,2}}/(?:19|20)\d{{2}}
    | (?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?{_MONTH}\s+(?:\d{{1,2}},?\s+)?(?:19|20)\d{{2}} | (?:19|20)\d{{2}}s? | '\d{{2}} )"""
_TIME = r"(?:hours?|hrs?|days?|weeks?|wks?|months?|mths?|mo|years?|yrs?|yr)"
_CODE = r"(?:[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?|\d{3}\.\d{1,2})"
_PEOPLE = (
    r"(?:patients?|pts?|subjects?|participants?|people|persons?|individuals?|adults?|children|women|men|girls|boys|males?|females?|infants?|"
    r"adolescents?|teenagers?|survivors?|sufferers?|volunteers?|cases?|populations?)"
)
_AGE = (
    r"(?:adult|p(?:a?)ediatric|elderly|older|aged|young(?:er)?|adolescent|male|female|geriatric|hospitali[sz]ed|critically\s+ill|pregnant|"
    r"postmenopausal|premenopausal|middle[\s-]aged|obese|healthy|treatment[\s-]na(?:i|ï)ve|high[\s-]risk)"
)
# Marks of a record, which belong to hardly any name.
_MARK = re.compile(
    rf"""
      [\[(]\s*(?:icd|snomed|read|icpc|mesh|omim|umls|ctcae|dsm)[^\])]*[\])]
    | (?<!\w)icd[\s-]?(?:9|10|11)?(?:[\s-]?cm)?\s*[:#-]?\s*{_CODE}(?!\w)
    | [\[(]\s*{_CODE}(?:\s*[,;/]\s*{_CODE})*\s*[\])]
    | ^\s*{_CODE}\s*[:\s–-]\s*(?=\w) | [\s:–-]\s*{_CODE}\s*$
    | ^\s*(?:[-*•·▪●>✓]|\(?\d{{1,2}}[.):]|\#\s?\d{{1,2}}[.):\s]|\(?[a-h]\))\s+
    | ^\s*(?:\?+|query|[?]\s*)\s*(?=\w) | \s*\?+\s*$ | [*]+
    | [\[(]\s*(?:resolved|historical|history|past|active|inactive|old|new|known|stable|controlled|confirmed|suspected|provisional|primary|secondary|main|
        disorder|finding|diagnosis|procedure|situation|event|left|right|bilateral|l|r|lt|rt|b/l|adults?|p(?:a?)ediatric|children|male|female|nos|unspecified|on\s+\w+)\s*[\])]
    | [\[(]?\s*(?:(?:diagnosed|dx|dxd|since|in|from|on|until|onset|approx\.?|circa|c\.|ca\.?|~|date[d:]?)\s*:?\s+)*{_DATE}(?!\w)\s*[\])]?
    | (?<!\w)(?:(?:for|over|since|x|×|past|last|in\s+the\s+(?:past|last))\s*)+\d+(?:\s*-\s*\d+)?\s*[+/]?\s*(?:{_TIME}|\d+|[dw]k?|/7|/52|/12)(?!\w)(?:\s+ago)?
    | (?<![\w/])\d{{1,2}}\s?/\s?(?:7|52|12)(?![\w/])
    | (?<!\w)\d+\s*[- ]?{_TIME}\s+(?:ago|history|hx|duration|post(?:op)?)(?:\s+of)?(?!\w)
    | (?<!\w)(?:yesterday|today|last\s+(?:night|week|month|year)|this\s+(?:morning|week|am)|tonight|overnight)(?!\w)
    | (?<!\w)(?:aged?\s+)?\d{{1,3}}\s*[- ]?(?:y/?o|yrs?\s+old|years?[- ]old)(?:\s*[mf]\b)?(?!\w)
    | ^\s*(?:\d{{1,3}}\s?[mf]\b)
    | (?<!\w)(?:p\.?m\.?h\.?x?|past\s+(?:medical|surgical)\s+(?:history|hx)|medical\s+history|hpi|cc|pc|imp(?:ression)?|dx|ddx|diagnosis|diagnoses|indication|problem|
        condition|assessment|principal\s+diagnosis|working\s+diagnosis|admitting\s+diagnosis|reason\s+for\s+(?:visit|admission|referral)|presenting\s+complaint|chief\s+complaint)\s*[:=-]\s*
    | (?<!\w)(?:k/?c/?o|c/o|p/w|h/o|hx\s+of|hx:?|s/p|st\.?\s*p(?:ost)?|status\s+post|f/u|fup|r/o|rule\s+out|adm(?:itted)?\s+(?:with|for)|
        (?:known|a)\s+case\s+of|complain(?:s|ed|ing)\s+of|present(?:s|ed|ing)\s+with|diagnosed\s+(?:with|as)|known\s+to\s+have|known\s+to\s+suffer\s+from|suffer(?:s|ing)\s+from|
        awaiting|referred\s+(?:for|with)|seen\s+for|admission\s+for|treated\s+for|on\s+treatment\s+for)(?!\w)
    | (?<!\w)(?:(?:strong\s+)?(?:past|personal|previous|prior|remote|recent|known|positive|long|own)\s+)?(?:medical\s+)?history\s+of(?!\w)
    | (?<!\w)(?:family\s+(?:history|hx)(?:\s+of)?|f\.?hx?\s+of|fhx)(?!\w)
    | (?<!\w)(?:nos|n\.o\.s\.?|unspecified|not\s+otherwise\s+specified|not\s+elsewhere\s+classified|nec|unsp\.?|site\s+unspecified|unspecified\s+site|
        (?:without|w/o)\s+mention\s+of.*|without\s+complications?|type\s+unspecified|(?:of\s+)?unspecified\s+(?:type|site|severity|organ|side|nature|laterality|eye|ear|limb|knee|hip))(?!\w)
    | (?<!\w)(?:suspected|suspicion\s+of|susp\.?|possible|poss\.?|probable|prob\.?|presumed|presumptive|provisional|likely|confirmed|definite|apparent|evidence\s+of|
        features\s+of|signs?\s+of|symptoms?\s+of|known|established|documented|self[\s-]?reported|biopsy[\s-]proven|histologically\s+(?:proven|confirmed)|clinically)(?!\w)
    | (?<!\w)(?:the\s+|in\s+)?(?:{_AGE}\s+)?{_PEOPLE}\s+(?:with|having|who\s+have|suffering\s+from|diagnosed\s+with|affected\s+by|at\s+risk\s+(?:of|for)|living\s+with)(?!\w)
    | (?<!\w)in\s+(?:{_AGE}\s+)+{_PEOPLE}(?!\w) | (?<!\w)in\s+{_PEOPLE}\s*$ | (?<!\w)(?:among|for)\s+(?:{_AGE}\s+)*{_PEOPLE}(?!\w)
    | (?<=\w)\s+{_PEOPLE}\s*$
    | (?<!\w)(?:risk|prevention|prophylaxis|treatment|management|diagnosis|detection|screening|therapy|evaluation|assessment|monitoring|reduction|occurrence|incidence|prevalence)\s+(?:of|for)(?!\w)
    | (?<=\w)\s+(?:p\.?o\.?|i\.?v\.?i?|s\.?c\.?|pr|inh(?:aler|aled)?|neb(?:s|uli[sz]er)?|tabs?|caps?|m/r|(?-i:mr)|s\.?r|x\.?[rl]|e/?c|o\.?d|o\.?n|o\.?m|b\.?d|t\.?d\.?s|q\.?d\.?s|bid|tid|qid|nocte|mane|prn|stat|
        [1-4]\s?x\s?(?:daily|/\s?day|day)|[1-4]\s?/\s?day|daily|weekly|hs|puffs?|drops?|patch(?:es)?|spray)(?=[\s,;)]|$)
    | (?<!\w)(?:egfr|gfr|hba1c|a1c|ef|lvef|bmi|gcs|inr|hb|hgb|bp|ldl|crp|psa|k\+?|na\+?|spo2|sats|temp|hr|fev1|pack\s+years?|cha2ds2[\s-]?vasc)\s*[:=<>~]*\s*\d[\d.,/%]*\s*(?:%|mmhg|mmol/l|g/l|g/dl|kg/m2|ml/min|bpm)?
    | [\s,–-]+(?:under\s+(?:control|f/?u|follow[\s-]?up|review|investigation|(?:the\s+)?care\s+of\b.*)|on\s+(?:treatment|rx|meds|medication|therapy|follow[\s-]?up)|for\s+(?:review|follow[\s-]?up|surgery|investigation|op)|
        in\s+remission|diet\s+controlled|not\s+on\s+(?:treatment|meds)|see\s+\w+|needs?\s+\w+|resolved|resolving|improving|improved|worsening|unchanged|ongoing|monitor(?:ing|ed)?|stable)\s*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Words that describe a case, and that many names have too.
_WORD = re.compile(
    r"""(?<![\w-])(?:
      (?:(?:very|mildly|moderately|severely)\s+)?(?:mild|moderate|mod|severe|sev|profound|marked|massive|minor|slight|significant|extensive|minimal|extreme)
        (?:(?:\s*(?:/|-|to|and|or)\s*)(?:moderate|mod|severe|profound))?(?:ly)?
    | acute[\s-]on[\s-]chronic | (?:sub)?acute | chronic | chr | long[\s-]?standing | long[\s-]?term | short[\s-]?term | persistent | persisting | continuous | constant | intermittent
    | episodic | occasional | frequent | recurrent | recurring | repeated | relapsed | relapsing | (?:relapsed\s*(?:/|or|and)\s*)?refractory | intractable | resistant | treatment[\s-]resistant
    | (?:poorly|well|badly|inadequately|sub-?optimally|partially)[\s-]?(?:controlled|managed)?(?=\s|$) | uncontrolled | controlled | stable | active | inactive | quiescent
    | new[\s-]onset | newly[\s-]diagnosed | new | recent(?:ly)?(?:\s+diagnosed)? | recent[\s-]onset | previous(?:ly)? | prior | past | old | ex | former | current | ongoing | early | late | early[\s-]onset | late[\s-]onset
    | early[\s-]stage | late[\s-]stage | advanced(?:[\s-]stage)? | locally[\s-]advanced | end[\s-]stage | progressive | progressing | worsening | worse | exacerbated | (?:acute\s+|infective\s+)?exacerbations?(?:\s+of)? | exac(?:\s+of)? | flare(?:[\s-]?up)?(?:\s+of)? | attacks?\s+of | episodes?\s+of
    | (?:in|at)\s+(?:(?:first|second|third|1st|2nd)\s+)?(?:relapse|recurrence) | sev\. | dx'?d | dxed | on\s+echo(?:cardiography)? | on\s+(?:ct|mri|us|uss|imaging|biopsy|x-?ray|cxr|exam(?:ination)?)
    | untreated | treated | previously\s+treated | treatment[\s-]na(?:i|ï)ve | resolved | resolving | remission | in\s+remission | symptomatic | asymptomatic | incidental | uncomplicated | complicated | simple | complex
    | primary | secondary | idiopathic | sporadic | spontaneous | locali[sz]ed | generali[sz]ed | diffuse | focal | isolated | metastatic | (?:un)?resectable | inoperable | operable | invasive
    | (?:high|low|intermediate|average|increased|standard)[\s-](?:risk|grade) | solitary | single | multiple | suspicious | benign | elective | emergency | urgent | routine
    | (?:left|right|bilateral|unilateral|bilat\.?|lt|rt|b/l)(?:[\s-]?sided)? | [LR](?=\s) | \([LR]\) | (?:upper|lower)(?=\s+(?:left|right)) | (?:medial|lateral|anterior|posterior|distal|proximal)
    | (?:mainly|predominantly|mostly|especially|esp|including|some|certain|several|many|other|all|any|both|adult|p(?:a?)ediatric|childhood|elderly|male|female)
    | (?:clinical|histological|pathological)\s+stage | (?:stages?|stg\.?)\s+(?:[0-4IVX]+[a-d]?\d?)(?:\s*(?:-|–|/|,|to|or|and|through)\s*(?:[0-4IVX]+[a-d]?\d?))* | stage\s*[0-5][a-d]? | grades?\s+(?:[0-5IV]+)(?:\s*(?:-|–|/|to|or|and)\s*[0-5IV]+)*
    | (?:nyha|ccs|asa|who|ecog|child(?:[\s-]pugh)?|gold|killip|fontaine|rutherford|asia|hoehn\s+(?:and|&)\s+yahr|ann\s+arbor|figo|dukes'?|gleason|bi-?rads|ranson|wagner)\s*(?:functional\s+)?(?:class|stage|grade|score|ps)?\s*(?:[0-9IVX]+[a-e]?(?:\s*[-+/]\s*[0-9IVX]+)*(?:\s*=\s*\d+)?|[A-E])
    | (?:\d{2,}|\d+\.\d+)(?:\s?°\s?[CF]?)?(?=\s*$)
    | [cpyr]?T[0-4][a-d]?\s?N[0-3x][a-c]?(?:\s?M[01x])? | [1-3](?:st|nd|rd)[\s-](?:line|degree) | (?:first|second|third)[\s-]line | (?:ER|PR|HER2|HR|KRAS|EGFR|BRAF|ALK)\s?(?:[+-]|[\s-]?(?:positive|negative|mutant|mutated))(?:ve)?(?:\s*/\s*(?:ER|PR|HER2|HR)\s?(?:[+-]|[\s-]?(?:positive|negative))(?:ve)?)*
    )(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
# Where it is: a side and up to two words at the end.
_PLACE = re.compile(
    r"(?<=\w)[\s,]+(?:(?:of|in|to|on|at)\s+)?(?:the\s+)?(?:L|R|left|right|bilateral|lt|rt)\s+[a-z]+(?:\s+[a-z]+)?\s*(?=$|,)"
)
# Of these, words that distinguish names more often than cases; they count twice.
_OF_NAMES = re.compile(
    r"upper|lower|medial|lateral|anterior|posterior|distal|proximal|multiple|single|solitary|diffuse|focal|generali[sz]ed|isolated|primary|"
    r"secondary|idiopathic|sporadic|spontaneous|progressive|benign|complex|simple|invasive|adult|p(?:a?)ediatric|childhood|male|female|early|late|"
    r"(?:early|late)[\s-]onset|all|other|both|any|[\d.]+",
    re.IGNORECASE,
)
# Words that distinguish cases and hardly ever names; they count half.
_OF_CASES = re.compile(
    r"(?:stage|stg|grade|nyha|ccs|asa|ecog|child|gold|figo|ann\s+arbor|gleason|killip|tnm)\b.*|[cpyr]?T[0-4].*|(?:ER|PR|HER2|HR)\b.*|"
    r"(?:left|right|bilateral|unilateral|bilat\.?|lt|rt|b/l)(?:[\s-]?sided)?|\(?[LR]\)?|new(?:ly[\s-]diagnosed)?|known|"
    r"(?:relapsed|relapsing)?(?:\s*(?:/|or|and)\s*)?refractory|relapsed|untreated|(?:previously\s+)?treated|treatment[\s-]na(?:i|ï)ve|"
    r"(?:un)?resectable|(?:in)?operable|locally[\s-]advanced|advanced|(?:first|second|third|[1-3](?:st|nd|rd))[\s-]line|"
    r"(?:poorly|well|badly|inadequately|partially)[\s-]?(?:controlled|managed)?|uncontrolled|controlled|stable|"
    r"(?:mild|moderate|mod)\s*(?:/|-|to|and|or)\s*(?:moderate|mod|severe|sev)|sev\.|(?:in|at)\s+.*(?:relapse|recurrence)|dx'?d|dxed|on\s.*|"
    r"elective|emergency|urgent|routine|incidental|previous|recent|symptomatic",
    re.IGNORECASE,
)
_BEFORE = " \t\n,;:.-–—/+&|=*"
_AFTER = re.compile(r"(?:[\s,;:.–—/&|=*]|(?<![\w+-])[-+])+$")
_LOOSE_START = re.compile(
    r"^(?:of|with|in|and|or|the|a|an|to|for|due\s+to|on|at|by|from)\s+(?=\S)", re.IGNORECASE
)
_LOOSE_END = re.compile(r"\s+(?:of|with|in|and|or|the|a|an|to|for|due|on|at|by|from)$", re.IGNORECASE)


class Bare(NamedTuple):
    """A text without some of its qualifiers.

    marks  whether marks of a record (codes, dates, "h/o", "?", doses) were left out
    words  number of descriptive words ("severe", "recurrent") left out; those that names often have ("multiple") count twice,
           those that they hardly ever have ("stage 3", "left") half
    """

    text: str
    marks: bool
    words: float


@lru_cache(maxsize=_CACHED)
def without_qualifiers(text: str) -> tuple[Bare, ...]:
    """The text as it is, then with ever more of its qualifiers left out; each text once. Nothing is left out of a text that
    would be empty."""
    text = " ".join(text.split())
    results = {text: Bare(text, False, 0)}
    if len(text) > _LONGEST:
        return tuple(results.values())
    bare = _without_marks(text)
    if _has_word(bare) and bare != text:
        results.setdefault(bare, Bare(bare, True, 0))
    else:
        bare = text
    marked = bare != text
    spans = [match.span() for match in _WORD.finditer(bare)]
    counts = range(1, len(spans) + 1) if len(spans) <= _MOST else [1, len(spans)]
    for count in counts:
        for left_out in combinations(spans, count):
            rest = _tidy(_cut(bare, left_out))
            if _has_word(rest):
                weight = sum(_weight(bare[start:end]) for start, end in left_out)
                results.setdefault(rest, Bare(rest, marked, weight))
    here = _tidy(_PLACE.sub("", bare))
    if here != bare:
        inside = [match.group() for match in _WORD.finditer(here)]
        for rest, weight in ((here, 1.0), (_tidy(_WORD.sub(" ", here)), 1 + sum(map(_weight, inside)))):
            if _has_word(rest):
                results.setdefault(rest, Bare(rest, marked, weight))
    return tuple(results.values())


@lru_cache(maxsize=_CACHED)
def is_only_qualifiers(text: str) -> bool:
    """Whether nothing is left of a text without its qualifiers: "stage 3", "stable", "2019", "L"."""
    if len(text) > _LONGEST:
        return False
    bare = _WORD.sub(" ", _without_marks(" ".join(text.split())))
    bare = re.sub(
        r"(?<!\w)(?:[LR]|mg|bd|tds|od|po|prn|and|or|of|in|with|the|on|at|grade|stage)(?!\w)", " ", bare
    )
    return not any(c.isalpha() for c in bare)


@lru_cache(maxsize=_CACHED)
def _without_marks(text: str) -> str:
    """Without marks of a record, until no more are found: "?known case of" goes in two steps."""
    for _ in range(4):
        before = text
        text, found = _MARK.subn(" ", text)
        text = _tidy(_without_doses(_tidy(text)))
        if text == before or not found:
            break
    return text


def _without_doses(text: str) -> str:
    edge = " ,;:-–"
    bare = strip_doses(text)
    return bare if bare.strip(edge) != text.strip(edge) else text


def _weight(word: str) -> float:
    """How much leaving a descriptive word out counts."""
    if _OF_CASES.fullmatch(word):
        return 0.5
    return 2 if _OF_NAMES.fullmatch(word) else 1


def _cut(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    parts, end = [], 0
    for start, stop in spans:
        parts.append(text[end:start])
        end = stop
    return " ".join([*parts, text[end:]])


def _tidy(text: str) -> str:
    text = re.sub(r"[(\[{]\s*[)\]}]", " ", text)
    text = re.sub(r"\s+([,;)])", r"\1", " ".join(text.split()))
    text = _stripped(text)
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = _stripped(text[1:-1])
    for _ in range(3):
        before = text
        text = _stripped(_LOOSE_END.sub("", _LOOSE_START.sub("", text)))
        if text == before:
            break
    return text


def _stripped(text: str) -> str:
    return _AFTER.sub("", text.lstrip(_BEFORE))


def _has_word(text: str) -> bool:
    return sum(c.isalpha() for c in text) > 1
