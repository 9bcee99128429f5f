"""The page on the REST API: its curl examples are answered."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PAGE = Path(__file__).parents[3] / "docs" / "annotating-api.md"


def test_the_examples_with_a_token_are_answered(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    token = ada.ok("POST", "tokens", {"name": "example"})["token"]
    [block] = re.findall(r"```bash\n(curl.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    answers = []
    for command in block.replace("\\\n", " ").splitlines():
        words = shlex.split(command.replace("$TOKEN", token))
        [url] = [urlsplit(word) for word in words if word.startswith("http")]
        data = words[words.index("-d") + 1] if "-d" in words else None
        headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
        path = url.path + (f"?{url.query}" if url.query else "")
        answer = quiet.client().request(
            "GET" if data is None else "POST", path, content=data, headers=headers
        )
        answers.append(answer)
        if answer.status_code == 201:  # with a document there is something to export
            ada.upload(answer.json()["id"], {"a.txt": "Gout and asthma."})
    assert [answer.status_code for answer in answers] == [200, 201, 200]
    assert answers[1].json()["created_by"] == "ada"
    assert "Gout and asthma." in answers[2].text
