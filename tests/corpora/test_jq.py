"""The commands of jq that messages advise."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.advised import advises

from linnet import corpora
from linnet.advice import Step
from linnet.corpora.jq import text_from
from linnet.errors import DataError

needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")


@needs_jq
@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"note (free text)": "Gout hurts."}\n', "a.jsonl"),
        ('{"the patient\'s": "Gout hurts."}\n', "a.jsonl"),
        ('{"contents": "Gout hurts."}\n', "of Ann's ward.jsonl"),
        ('[{"id": 1, "content-de": "Gout hurts."}]', "a.json"),
        ('[{"id": 1, "text": "Gout hurts."}]', "a b.json"),
        ('{\n "text": "Gout hurts."\n}\n', "it's.json"),
        ('{"id": "0", "tokens": ["Gout", "hurts."], "n": [1, 0]}\n', "a.jsonl"),
    ],
)
def test_the_advised_command_makes_a_file_that_is_read(tmp_path: Path, content: str, name: str):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as refused:
        corpora.detect(tmp_path / name)
    command = re.search(r"jq -c .* > NEW\.jsonl", str(refused.value))
    assert command
    subprocess.run(command[0], shell=True, check=True, cwd=tmp_path)
    assert [document.text for document in corpora.read(tmp_path / "NEW.jsonl")] == ["Gout hurts."]


@pytest.mark.parametrize(
    "record", [{}, {"id": "7", "version": "1.1"}, {"gout": "D006073"}, {"rows": [1]}, {"data": []}]
)
def test_fields_that_hold_no_text_are_not_offered(record: dict[str, Any]):
    assert text_from(record, "a.jsonl") == []


def test_a_missing_text_among_others_is_not_renamed_from_nothing(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        "\n".join(map(json.dumps, ({"text": "Gout."}, {"id": 2, "text": None}))), encoding="utf-8"
    )
    with pytest.raises(
        DataError,
        match=r"a\.jsonl:2: expected a string in 'text', got null\.",
        check=advises(Step.SKIP_BAD_RECORD),
    ):
        list(corpora.read(path))
