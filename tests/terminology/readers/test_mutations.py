"""Whatever became of a file, a reader gives concepts or refuses it: never another error, and never a concept without an id."""

import json
import logging
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linnet.errors import LinnetError
from linnet.terminology.readers import read

MUTATIONS = 200
RF2 = "id\teffectiveTime\tactive\tmoduleId\tconceptId\tlanguageCode\ttypeId\tterm\tcaseSignificanceId\n"
TEXTS = {
    "gilda": "norm_text\ttext\tdb\tid\tentry_name\tstatus\tsource\nache\tache\tbird\t1\tsore beak\tsynonym\tbird\n",
    "umls": "C0000001|ENG|P|L1|PF|S1|Y|A1||||BIRD|PT|B1|Sore beak|0|N||\n" * 2,
    "rxnorm": "7|ENG||||||1|||7|RXNORM|IN|7|seedol||N|4096|\n",
    "rf2": RF2 + "1\t20990101\t1\t0\t11\ten\t900000000000003001\tSore beak (disorder)\t0\n",
    "obo": 'format-version: 1.2\n\n[Term]\nid: B:1\nname: beak\nsynonym: "bill" EXACT []\nproperty_value: symbol "BK" xsd:string\n',
    "medic": "D1|100100||sore beak|ache\n",
    "ssslm": "text\tcurie\tpredicate\nbeak\tdoid:1\trdfs:label\n",
    "ctd": "# Fields:\n# DiseaseName\tDiseaseID\tSynonyms\n#\nSore beak\tMESH:D1\tache|bill\n",
}
DOCUMENTS: dict[str, Any] = {
    "fhir": {
        "resourceType": "CodeSystem", "id": "beaks", "url": "http://birds.example/beaks", "language": "en",
        "property": [{"code": "above", "uri": "http://hl7.org/fhir/concept-properties#parent"}],
        "concept": [{"code": "B", "display": "beak", "designation": [{"language": "fr", "use": {"code": "x"}, "value": "bec"}],
                     "property": [{"code": "above", "valueCoding": {"code": "A"}}], "concept": [{"code": "C", "display": "bill"}]}],
    },
    "obograph": {"graphs": [{"nodes": [{"id": "B:1", "lbl": "beak", "meta": {
        "definition": {"val": "x"}, "synonyms": [{"pred": "hasExactSynonym", "val": "bill"}], "xrefs": [{"val": "B:2"}],
        "basicPropertyValues": [{"pred": "skos#altLabel", "val": "nib"}]}}], "edges": [{"sub": "B:1", "pred": "is_a", "obj": "B:2"}]}]},
    "jsonl": {"id": "B:1", "name": "beak", "synonyms": ["bill", {"val": "nib"}], "parents": ["B:2"], "other": [1]},
}  # fmt: skip


def torn(text: str, chance: random.Random) -> str:
    """The text with a few pieces taken out, doubled, or put in."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randint(0, 12))
        text = (
            text[:start]
            + chance.choice(["", "\t", "|", "\n", '"', "{", "x", text[start : end + 20]])
            + text[end:]
        )
    return text


def bent(value: Any, chance: random.Random) -> Any:
    """The value with some of what it holds replaced by something of another kind."""
    if chance.random() < 0.08:
        return chance.choice([7, None, True, "x", [], [1], ["x"], {}, {"a": 1}, [None]])
    if isinstance(value, dict):
        return {key: bent(inner, chance) for key, inner in value.items()}
    return [bent(inner, chance) for inner in value] if isinstance(value, list) else value


def mutations(name: str) -> list[str]:
    chance = random.Random(name)
    if name in TEXTS:
        return [torn(TEXTS[name], chance) for _ in range(MUTATIONS)]
    makers: list[Callable[[], str]] = [
        lambda: torn(json.dumps(DOCUMENTS[name]), chance),
        lambda: json.dumps(bent(DOCUMENTS[name], chance)),
    ]
    return [makers[number % 2]() for number in range(MUTATIONS)]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", [*TEXTS, *DOCUMENTS])
def test_a_mutated_file_is_read_or_refused(
    tmp_path: Path, name: str, named: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    file = tmp_path / "source"
    read_files = 0
    refusals: list[str] = []
    for content in mutations(name):
        file.write_text(content)
        try:
            concepts = list(read(file, format=name if named else None))
        except LinnetError as error:
            refusals.append(str(error))
            continue
        assert all(concept.id for concept in concepts)
        read_files += 1
    assert read_files
    assert all(refusal.startswith(str(file)) for refusal in refusals)
