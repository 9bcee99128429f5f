from __future__ import annotations

import io
import json
import zipfile
from typing import Any

XMI = (
    '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI" '
    'xmlns:cas="http:///uima/cas.ecore" xmlns:ner="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore" '
    'xmi:version="2.0"><ner:NamedEntity xmi:id="2" sofa="1" begin="0" end="4" value="Disease" identifier="X:1"/>'
    '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Gout again."/></xmi:XMI>'
)


def _task(text: str, answer: str) -> str:
    span = {"start": 0, "end": len(text.split()[0]), "label": "Disease"}
    return json.dumps({"text": text, "spans": [span], "answer": answer}) + "\n"


def test_exports_of_annotation_tools_are_read_and_what_is_not_gold_is_noted(ada: Any) -> None:
    project = ada.project()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as stream:
        stream.writestr("again.xmi", XMI)
        stream.writestr("TypeSystem.xml", "<typeSystemDescription/>")
    report = ada.upload(
        project,
        {
            "prodigy.jsonl": _task("Gout hurts.", "accept") + _task("Asthma hurts.", "reject"),
            "doccano.jsonl": '{"id": 1, "text": "Scurvy bleeds.", "label": [[0, 6, "Disease"]]}\n',
            "inception.zip": archive.getvalue(),
            "webanno.tsv": "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Disease|value\n\n\n#Text=Migraine\n"
            "1-1\t0-8\tMigraine\t*\t\n",
        },
    )
    files = {file["name"]: (file["format"], file["documents"], file["mentions"]) for file in report["files"]}
    assert files == {
        "prodigy.jsonl": ("prodigy", 2, 1),
        "doccano.jsonl": ("doccano", 1, 1),
        "inception.zip/again.xmi": ("uima", 1, 1),
        "webanno.tsv": ("webanno", 1, 1),
    }
    assert [line for file in report["files"] for line in file["refused"]] == []
    notes = [line for file in report["files"] for line in file["notes"]]
    assert notes == ["1 document rejected by the annotator, read without annotations"]
    states = {
        one["name"]: (one["state"], one["gold"])
        for one in ada.ok("GET", f"projects/{project}/documents?order=id")["documents"]
    }
    assert states["prodigy:2"] == ("open", 0)
    assert states["prodigy:1"][1] == states["doccano:1"][1] == states["again"][1] == 1
