from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.corpora.json_mutations import mutations

from linnet import corpora
from linnet.errors import DataError

NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
HEAD = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={NER}|identifier|value\n\n\n"


def read(tmp_path: Path, content: str, **options: Any) -> Any:
    path = tmp_path / "one.tsv"
    path.write_text(content, encoding="utf-8")
    assert corpora.detect(path) == "webanno"
    (document,) = corpora.read(path, **options)
    return document


def mentions(document: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(m.text, m.type, m.concepts) for m in document.mentions]


def test_tokens_of_one_number_are_one_mention_and_stacked_ones_several(tmp_path: Path):
    document = read(
        tmp_path,
        HEAD + "#Text=Gouty arthritis hurts .\n"
        "1-1\t0-5\tGouty\tMESH:D000001[1]|*[2]\tDisease[1]|Finding[2]\t\n"
        "1-2\t6-15\tarthritis\tMESH:D000001[1]\tDisease[1]\t\n"
        "1-3\t16-21\thurts\t_\t_\t\n"
        "1-4\t22-23\t.\t_\t_\t\n",
    )
    assert document.id == "one"
    assert mentions(document) == [
        ("Gouty", "Finding", ()),
        ("Gouty arthritis", "Disease", ("MESH:D000001",)),
    ]


def test_sentences_stand_where_their_tokens_say_and_offsets_count_utf_16_units(tmp_path: Path):
    document = read(
        tmp_path,
        HEAD + "#Text=Oh 😀 .\n1-1\t0-2\tOh\t_\t_\t\n1-2\t3-5\t😀\t_\t_\t\n1-3\t6-7\t.\t_\t_\t\n\n"
        "#Text=Gout hurts\n2-1\t9-13\tGout\t*\tDisease\t\n2-2\t14-19\thurts\t_\t_\t\n",
    )
    assert document.text == "Oh 😀 .\n\nGout hurts"
    assert mentions(document) == [("Gout", "Disease", ())]


def test_parts_of_tokens_are_mentions_of_their_own(tmp_path: Path):
    document = read(
        tmp_path,
        HEAD + "#Text=Herzschmerz\n1-1\t0-11\tHerzschmerz\t_\t_\t\n1-1.1\t0-4\tHerz\t*\tOrgan\t\n"
        "1-1.2\t4-11\tschmerz\tHP:0000001\tFinding\t\n",
    )
    assert mentions(document) == [("Herz", "Organ", ()), ("schmerz", "Finding", ("HP:0000001",))]


def test_a_backslash_takes_the_meaning_from_the_letter_behind_it(tmp_path: Path):
    document = read(
        tmp_path,
        HEAD + "#Text=snake\\_case\n1-1\t0-10\tsnake\\_case\t*\ta\\|b \\[1\\] \\\\ \\_\t\n",
    )
    assert mentions(document) == [("snake_case", "a|b [1] \\ _", ())]


def test_slots_relations_and_chains_are_no_mentions(tmp_path: Path):
    notes = corpora.Notes()
    document = read(
        tmp_path,
        "#FORMAT=WebAnno TSV 3.3\n"
        f"#T_SP={POS}|PosValue\n"
        "#T_SP=webanno.custom.Host|ROLE_webanno.custom.Host:links_webanno.custom.Link|webanno.custom.Arg\n"
        f"#T_RL=webanno.custom.Cause|why|BT_{NER}\n"
        "#T_CH=webanno.custom.Coref|referenceRelation|referenceType\n\n\n"
        "#Text=Gout hurts\n"
        "1-1\t0-4\tGout\tNN\tagent;place\t1-2[7];1-2\t_\t_\t*->1-1\t*[1]\t\n"
        "1-2\t5-10\thurts\tVB\t_\t_\tx\t1-1\t_\t_\t\n",
        note=notes.add,
    )
    assert mentions(document) == [("Gout", "Host", ())]
    assert notes.counts == {
        "tokens annotated in the layer POS, left out": 2,
        "relations of the layer Cause, left out": 1,
        "chain links of the layer Coref, left out": 1,
    }


def test_annotations_without_a_character_are_counted(tmp_path: Path):
    notes = corpora.Notes()
    document = read(
        tmp_path, HEAD + "#Text=Gout\n1-1\t0-4\tGout\t_\t_\t\n1-1.1\t4-4\t\t*\t*\t\n", note=notes.add
    )
    assert document.mentions == ()
    assert notes.lines() == ["1 annotation of no character (zero width), left out"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1-1\t0-4\tGout\tDisease\t\n", "expected 5 columns"),
        (
            "1-1\t0-4\tRout\t*\tDisease\t\n",
            "the text at 0–4 .in UTF-16 units. is 'Gout', the row says 'Rout'",
        ),
        ("1-1\t0-x\tGout\t*\tDisease\t\n", "expected 5 columns"),
        ("1-1\t0-4\tGout\t*[1]|*[2]\tDisease\t\n", "disagree about the token's number of annotations"),
        ("", "has no token"),
    ],
)
def test_rows_that_do_not_fit_are_refused_with_their_line(tmp_path: Path, row: str, message: str):
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path, HEAD + "#Text=Gout\n" + row)
    assert "one.tsv" in str(caught.value)


ROWS: list[list[Any]] = [
    ["1-1", 0, 4, "Gout", "MESH:D000001", "Disease"],
    ["1-2", 5, 10, "hurts", "_", "_"],
    ["1-3", 11, 17, "scurvy", "*[1]", "Disease[1]"],
    ["1-4", 18, 24, "bleeds", "*[1]|*[2]", "Disease[1]|Finding[2]"],
]


def test_tokens_without_the_text_of_their_sentence_are_refused(tmp_path: Path):
    file = tmp_path / "a.tsv"
    file.write_text("#FORMAT=WebAnno TSV 3.3\n\n\n1-1\t0-4\tGout\n")
    with pytest.raises(DataError, match="has no text"):
        list(corpora.read(file, format="webanno"))


def test_a_changed_document_gives_the_mentions_of_an_independent_parser_or_is_refused(tmp_path: Path):
    path = tmp_path / "a.tsv"
    refused = 0
    for seed, changed in mutations(ROWS, 200):
        rows = [row for row in changed if isinstance(row, list)]
        lines = [
            "\t".join([str(row[0]), "-".join(map(str, row[1:3])), *map(str, row[3:])]) if row else ""
            for row in rows
        ]
        path.write_text(HEAD + "#Text=Gout hurts scurvy bleeds\n" + "\n".join(lines) + "\n", encoding="utf-8")
        try:
            (document,) = corpora.read(path, format="webanno")
        except DataError:
            refused += 1
            continue
        single, numbers = 0, set()
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line[:1].isdigit():
                id, type = line.split("\t")[3:5]
                for value, other in zip(id.split("|"), type.split("|"), strict=False):
                    kept = other if value == "_" else value
                    if kept == "_":
                        continue
                    named = kept if kept.endswith("]") else other
                    if named.endswith("]"):
                        numbers.add(named[named.rindex("[") :])
                    else:
                        single += 1
        assert len(document.mentions) == single + len(numbers), (seed, path.read_text(encoding="utf-8"))
    assert refused > 20


@pytest.mark.data
def test_a_real_document_gives_a_mention_for_each_value(data: Path):
    path = data / "real-files" / "json-and-xmi" / "testTokenBoundedSpanWithFeatureValue_reference.tsv"
    (document,) = corpora.read(path)
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
    assert [(m.text, m.type) for m in document.mentions] == [(row[2], row[3]) for row in rows] != []
