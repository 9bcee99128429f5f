"""What looks structured is never linked as prose, and prose in short lines is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.advised import reads

from linnet import corpora
from linnet.errors import DataError


@pytest.mark.parametrize("by_line", [False, True])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("# comment\n1|t|Gout hurts.\n1|a|Yes.\n", r"line 2 is PubTator.*Remove everything.*--input-format text"),
        ("Exported today.\n1\t0\t4\tGout\tDisease\tD006073\n", r"line 2 is PubTator"),
        ("{'text': 'Gout hurts.', 'id': 1}\n{'text': 'Asthma.', 'id': 2}\n", r"object of Python or JavaScript.*json\.dumps"),
        ("{text: 'Gout hurts.'}\n", r"object of Python or JavaScript"),
        ('"gout"\n"asthma"\n', r"holds JSON strings.*jq -r \. .*names\.txt > NEW\.txt"),
        ("<notes><note>Gout.</note></notes>", r"Expected BioC or UIMA XMI"),
        ("From: a@b.org\nSubject: gout\nMIME-Version: 1.0\nContent-Type: text/plain\n\nR291dA==\n", r"is an e-mail"),
    ],
)  # fmt: skip
def test_structure_is_refused_with_advice(tmp_path: Path, content: str, message: str, by_line: bool):
    (tmp_path / "names.txt").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, check=reads(message)):
        corpora.detect(tmp_path / "names.txt", by_line=by_line)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '"Gout hurts."'),
        ("a.json", "null"),
        ("a.jsonl", "Gout hurts.\n"),
        ("a.yaml", "id: 1\ntext: Gout hurts.\nlabels:\n  - gout\n"),
    ],
)
def test_a_structured_ending_is_no_prose(tmp_path: Path, name: str, content: str):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, check=reads(r"is called \.\w+.*--input-format text")):
        corpora.detect(tmp_path / name)


@pytest.mark.parametrize("content", ["Dx,MRN\ngout,1\nasthma,2\n", "195967001 |Asthma|\n90560007 |Gout|\n"])
def test_a_table_is_no_list_of_names_either(tmp_path: Path, content: str):
    (tmp_path / "names.txt").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match="looks like a table"):
        corpora.detect(tmp_path / "names.txt", by_line=True)


@pytest.mark.parametrize("content", ["1,2-dichloroethane\n1,3-butadiene\n", "asthma, mild\ngout, acute\n"])
def test_names_may_hold_commas(tmp_path: Path, content: str):
    (tmp_path / "names.txt").write_text(content, encoding="utf-8")
    assert corpora.detect(tmp_path / "names.txt", by_line=True) == "text"


@pytest.mark.parametrize(
    "content",
    [
        "The patient has gout and was\nseen in clinic with worsening\nwheeze in the left big\ntoe\n",
        "[Gout in the elderly]. The authors describe it.",
        "{gout} is a word in braces.",
        "Subject: gout\nDiagnosis: asthma\nPlan: rest\n",
        '"Gout hurts", he said.\n"Asthma, too."\n',
        "- gout\n- asthma\n",
        "gout\n",
    ],
)
def test_prose_is_text(tmp_path: Path, content: str):
    (tmp_path / "note.txt").write_text(content, encoding="utf-8")
    assert corpora.detect(tmp_path / "note.txt") == "text"
