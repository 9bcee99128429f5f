"""What the service answers to requests that are right."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import linnet
from linnet.corpora.mentions import read_mentions
from linnet.jobs.records import document_record, mention_record
from linnet.types import Document

CONTEXT = {"left": "ATM is mutated in ataxia telangiectasia (", "right": "), a rare disease."}


def test_mentions_are_linked_as_the_command_line_links_them(site: Any, store: Path, tmp_path: Path) -> None:
    mentions = [
        {"id": "m1", "text": "AT", **CONTEXT, "document": "d", "type": "Disease"},
        {"id": "m2", "text": "breast and ovarian cancer"},
        {"id": "m3", "text": "quoxly"},
        {"id": "m4", "text": "AT", "document": "d"},
        {"id": "m5", "text": "gouty arthritis"},
    ]
    answer = site.client.post("/v1/link", json={"mentions": mentions, "k": 3}).json()
    linker = linnet.load(store)
    file = tmp_path / "m.jsonl"
    file.write_text("\n".join(map(json.dumps, mentions)))
    asked = [document.mentions[0] for document in read_mentions(file)]
    assert answer["links"] == [mention_record(link) for link in linker.link(asked, k=3)]
    assert [link["concepts"] for link in answer["links"]] == [["X:6"], ["X:4", "X:5"], [], ["X:6"], ["X:1"]]
    assert len(answer["links"][1]["parts"]) == 2


def test_a_mention_without_an_id_has_its_place(site: Any) -> None:
    answer = site.client.post("/v1/link", json={"mentions": [{"text": "gout"}, {"text": "asthma", "id": 7}]})
    assert [link["id"] for link in answer.json()["links"]] == ["1", "7"]


def test_what_the_text_says_of_a_mention_is_told_where_the_server_was_asked_to(
    make_site: Callable[..., Any], site: Any
) -> None:
    asked = make_site(changes={"assertion": True})
    body = {"text": "No gout. Allopurinol."}
    answer = asked.client.post("/v1/annotate", json=body).json()
    assert [one["assertion"] for one in answer["mentions"]] == [["negated"], []]
    assert answer["text_kind"] in ("note", "article")
    mentions = {"mentions": [{"text": "gout", "left": "Possible"}]}
    assert asked.client.post("/v1/link", json=mentions).json()["links"][0]["assertion"] == ["uncertain"]
    assert not any(
        "assertion" in one for one in site.client.post("/v1/annotate", json=body).json()["mentions"]
    )


def test_what_an_override_decides_says_so_be_it_a_concept_or_none(
    make_site: Callable[..., Any], store: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(store, tmp_path / "small")
    (copy / "overrides.tsv").write_text("gout\t*\tforbid\nasthma\tX:7\tforce\n")
    client = make_site(terminologies=(copy,)).client
    mentions = [{"text": text} for text in ("gout", "asthma", "allopurinol", "quoxly", "allopurinol; gout")]
    links = client.post("/v1/link", json={"mentions": mentions}).json()["links"]
    assert [link.get("origin") for link in links] == ["override", "override", None, None, None]
    assert (links[0]["concepts"], links[0]["probability"]) == ([], 1.0)
    assert [part.get("origin") for part in links[-1]["parts"]] == [None, "override"]
    [gout] = client.post("/v1/annotate", json={"text": "A rare cause of gout."}).json()["mentions"]
    assert (gout["concepts"], gout["origin"]) == ([], "override")
    headers = {"content-type": "application/x-ndjson"}
    batch = client.post("/v1/batch/link", content=b'{"text": "gout"}\n', headers=headers).text
    assert json.loads(batch)["origin"] == "override"


def test_a_text_is_annotated_as_the_linker_annotates_it(site: Any, store: Path) -> None:
    text = "Patients with ataxia telangiectasia (AT) and gout. 𝒂 AT again; allopurinol."
    answer = site.client.post("/v1/annotate", json={"text": text, "id": "d1", "k": 2}).json()
    [linked] = linnet.load(store).link_documents([Document("d1", text)], recognise=True, k=2)
    assert answer.pop("served")["snapshot"]
    assert answer == document_record(*linked)
    assert [text[one["start"] : one["end"]] for one in answer["mentions"]] == [
        one["text"] for one in answer["mentions"]
    ]
    only = site.client.post("/v1/annotate", json={"text": text, "types": ["chemical"]}).json()
    assert [one["text"] for one in only["mentions"]] == ["allopurinol"]


def test_concepts_are_found_as_one_types(site: Any) -> None:
    for typed in ("bron", "bronchial ast", "X:2", "astma"):
        found = site.client.get("/v1/concepts", params={"q": typed}).json()["concepts"]
        assert found[0]["id"] == "X:2", typed
        assert found[0]["terminology"] == "small"
    assert site.client.get("/v1/concepts", params={"q": "a", "k": 1}).json()["concepts"][0]["id"]
    only = site.client.get("/v1/concepts", params={"q": "gout", "types": "Chemical"}).json()["concepts"]
    assert only == []


def test_a_concept_comes_with_its_neighbours_a_page_at_a_time(site: Any) -> None:
    top = site.client.get("/v1/concepts/X:0", params={"limit": 2, "offset": 1}).json()
    assert top["children"] == 6
    assert [one["name"] for one in top["narrower"]] == ["Ataxia Telangiectasia", "Breast Neoplasms"]
    retired = site.client.get("/v1/concepts/X:9").json()
    assert (retired["id"], retired["names"], retired["definition"]) == (
        "X:1",
        ["gouty arthritis"],
        "Crystals of urate in joints.",
    )
    assert [one["id"] for one in retired["parents"]] == ["X:0"]


def test_every_answer_says_what_it_was_made_with(site: Any, store: Path) -> None:
    digest = linnet.load(store).terminologies[0].digest
    asked = [
        site.client.post("/v1/link", json={"mentions": [{"text": "gout"}]}),
        site.client.post("/v1/annotate", json={"text": "gout"}),
        site.client.get("/v1/concepts", params={"q": "gout"}),
        site.client.get("/v1/concepts/X:1"),
        site.client.get("/ready"),
    ]
    for answer in asked:
        served = answer.json()["served"]
        assert answer.headers["linnet-snapshot"] == served["snapshot"]
        assert answer.headers["linnet-terminology"] == served["terminologies"][0]["digest"] == digest
    for path in ("/health", "/metrics", "/v1/nothing", "/docs"):
        assert site.client.get(path).headers["linnet-terminology"] == digest
    line = site.client.post(
        "/v1/batch/link", content='{"text": "gout"}', headers={"Content-Type": "application/x-ndjson"}
    )
    assert line.json()["snapshot"] == line.headers["linnet-snapshot"]


def test_the_digest_changes_with_whatever_decides_answers(
    make_site: Any, store: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "small"
    shutil.copytree(store, copy)
    seen = [
        make_site().service.reloader.current.digest,
        make_site(terminologies=(copy,)).service.reloader.current.digest,
    ]
    assert seen[0] == seen[1]
    seen.append(make_site(changes={"min_score": 0.5}).service.reloader.current.digest)
    seen.append(make_site(changes={"reranker": "context"}).service.reloader.current.digest)
    seen.append(make_site(types=("Disease",)).service.reloader.current.digest)
    (copy / "overrides.tsv").write_text("gout\tX:2\tforce\n")
    seen.append(make_site(terminologies=(copy,)).service.reloader.current.digest)
    assert len(set(seen)) == 5


def test_metrics_count_what_was_asked(make_site: Any) -> None:
    site = make_site()
    site.client.post("/v1/link", json={"mentions": [{"text": "gout"}, {"text": "quoxly"}]})
    site.client.get("/v1/concepts/none")
    site.client.get("/somewhere/else")
    text = site.client.get("/metrics").text
    digest = site.service.reloader.current.digest
    for line in (
        'linnet_requests_total{method="POST",route="/v1/link",status="200"} 1.0',
        'linnet_requests_total{method="GET",route="/v1/concepts/{id}",status="404"} 1.0',
        'linnet_requests_total{method="GET",route="other",status="404"} 1.0',
        'linnet_request_seconds_count{route="/v1/link"} 1.0',
        'linnet_errors_total{code="not_found"} 2.0',
        "linnet_mentions_total 2.0",
        "linnet_mentions_linked_total 1.0",
        "linnet_requests_in_flight 1.0",
    ):
        assert line in text.splitlines()
    assert f'snapshot="{digest}"' in text


def test_files_of_processes_that_have_only_begun_or_are_gone_do_not_harm_the_metrics(
    make_site: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    site = make_site()
    (tmp_path / "gauge_livesum_1.db").touch()
    (tmp_path / "counter_1.db").touch()
    (tmp_path / "counter_2.db").symlink_to(tmp_path / "gone")
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    assert site.client.get("/metrics").status_code == 200


def test_the_reference_is_a_plain_page(site: Any) -> None:
    page = site.client.get("/docs")
    assert "/v1/annotate" in page.text
    assert "<script" not in page.text
    assert "Those of one <code>document</code> share" in page.text
    assert "`" not in page.text
    assert site.client.get("/openapi.json").json()["info"]["title"] == "linnet serve"
    # A proxy may show it under any path.
    assert re.findall(r'(?:href|src)="([^#"]+)"', page.text) == ["docs.css", "openapi.json"]


def test_behind_a_proxy_under_a_path_it_answers_with_and_without_it(make_site: Any, tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text("0123456789abcdef\n")
    site = make_site(root="/linnet", keys=keys)
    for before in ("", "/linnet"):
        assert site.client.get(f"{before}/health").status_code == 200
        assert site.client.get(f"{before}/docs").status_code == 200
        assert site.client.get(f"{before}/metrics").status_code == 401
        document = site.client.get(f"{before}/openapi.json").json()
        assert [one["url"] for one in document["servers"]] == ["/linnet"]
        answer = site.client.post(
            f"{before}/v1/batch/link",
            content='{"text": "gout"}\n',
            headers={"Content-Type": "application/x-ndjson", "X-API-Key": "0123456789abcdef"},
        )
        assert answer.json()["concepts"] == ["X:1"]
    assert site.client.get("/linnetty/docs", headers={"X-API-Key": "0123456789abcdef"}).status_code == 404
