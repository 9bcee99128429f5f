"""Takes the pictures in docs/images: `make web`, then `python -m tests.web.screenshots` in the project's folder."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from tests.web.conftest import ADMIN, QUIET, Script, Server, Visitor
from tests.web.test_review import ReviewServer

from linnet.mapping import Columns, Mapping

IMAGES = Path(__file__).parents[2] / "docs/images"
GOUT, ASTHMA, DIABETES, ATAXIA = "MESH:D006073", "MESH:D001249", "MESH:D003920", "MESH:D001260"
# Names that the starter terminology lacks and the annotator teaches.
TAUGHT = {
    "case-01": (
        "A wheezy chest after a cold\nThe boy had a wheezy chest; migraine was known.",
        {"wheezy chest": ASTHMA},
    ),
    "case-02": (
        "Wheezy chest in a baker\nA wheezy chest and the sugar illness were found together with gout.",
        {"Wheezy chest": ASTHMA, "wheezy chest": ASTHMA, "sugar illness": DIABETES},
    ),
    "case-03": (
        "The sugar illness at old age\nShe had the sugar illness and hypertension.",
        {"sugar illness": DIABETES},
    ),
    "case-04": (
        "Sugar illness and asthma\nThe sugar illness began at 12, a wheezy chest at 15.",
        {"Sugar illness": DIABETES, "sugar illness": DIABETES, "wheezy chest": ASTHMA},
    ),
}
HELD_OUT = ("case-02", "case-04")
CASE = (
    "Breast and ovarian cancer risk in a patient with ataxia-telangiectasia",
    "A 34-year-old woman with ataxia-telangiectasia (AT) came because of a family history of breast and ovarian "
    "cancer; her mother had died of metastatic breast cancer at 41. She had type 2 diabetes mellitus, treated with "
    "metformin, and bronchial asthma. Gouty arthritis of the first toe had occurred twice. On examination there was "
    "no fever. AT had been diagnosed at the age of four.",
)
OPEN = {
    "case-06.txt": "Migraine and epilepsy\nMigraine attacks came weekly. Epilepsy was treated until hepatitis developed.",
    "case-07.txt": "Pneumonia in cystic fibrosis\nA boy with cystic fibrosis was admitted with pneumonia and sinusitis.",
    "case-08.txt": "Coeliac disease found by anaemia\nIron deficiency anaemia led to the diagnosis of coeliac disease.",
}

DIAGNOSES = """code,diagnosis,n,ward
I10,high blood pressure,3812,medicine
E11,type II diabetes,2950,medicine
J45,asthma bronchiale,1240,paediatrics
I21,heart attack,1020,medicine
G43,migraine attacks,610,neurology
R56,fits,580,neurology
C50,breast ca,402,surgery
M10,podagra,377,medicine
C5X,"breast cancer, gout",21,surgery
K80,stones,190,surgery
J18,chest infection,830,medicine
Z99,n/a,640,
"""


def _annotate(script: Script, document: dict[str, Any], words: str, **wish: Any) -> None:
    view = script.get(f"/documents/{document['id']}")
    start = view["text"].index(words)
    span = {"start": start, "end": start + len(words), "type": "Disease", "revision": view["revision"]}
    script.post(f"/documents/{document['id']}/annotations", {**span, **wish})


def _accept(script: Script, document: dict[str, Any]) -> None:
    revision = script.get(f"/documents/{document['id']}")["revision"]
    script.post(f"/documents/{document['id']}/state", {"state": "accepted", "revision": revision})


def _taught(script: Script) -> int:
    """A project with two versions of its model, and open documents; one of them with gold annotations."""
    texts = {f"{name}.txt": text for name, (text, _) in TAUGHT.items()}
    project = script.project(
        "Case reports",
        texts,
        description="Diseases and drugs; link the most specific concept. Examples: https://example.org/guideline",
        attributes=[{"name": name, "guess": True} for name in ("negated", "uncertain", "other person")],
    )
    for names in ((*HELD_OUT, "case-01"), ("case-03",)):
        for name in names:
            document = script.document(project, name)
            if name in HELD_OUT:
                script.patch(f"/documents/{document['id']}", {"held_out": True})
            for words, concept in TAUGHT[name][1].items():
                _annotate(script, document, words, concepts=[concept])
            _accept(script, script.document(project, name))
        script.post(f"/projects/{project}/jobs", {"kind": "train"})
        script.wait(project)
    return project


def _case(script: Script, project: int) -> dict[str, Any]:
    """The document of the pictures: gold, user and predicted annotations, one within another."""
    title, body = CASE
    text = f"{title}\n{body}"
    gold = [("bronchial asthma", ASTHMA), ("ataxia-telangiectasia", ATAXIA)]
    lines = [f"case-05|t|{title}", f"case-05|a|{body}"]
    lines += [
        f"case-05\t{text.index(words)}\t{text.index(words) + len(words)}\t{words}\tDisease\t{concept}"
        for words, concept in gold
    ]
    script.upload(project, {"case-05.txt": "\n".join(lines) + "\n\n"}, complete=False)
    document = script.document(project, "case-05")
    _annotate(script, document, "metastatic breast cancer", concepts=["MESH:D001943"])
    _annotate(script, document, "family history of breast and ovarian cancer", nil=True)
    start = text.index("Gouty arthritis")
    place = {"start": start, "end": start + len("Gouty arthritis")}
    said = "Gout, or arthritis of another kind? The guideline does not say."
    script.post(f"/documents/{document['id']}/comments", {"text": said, "discuss": True, **place})
    return document


def _compared(script: Script, other: Script) -> int:
    """A project in which two annotators disagree here and there."""
    texts = {f"{name}.txt": text for name, (text, _) in TAUGHT.items()} | OPEN
    project = script.project(
        "Agreement study", texts, mode="independent", description="Two annotators, each on their own."
    )
    script.put(f"/projects/{project}/members/grace", {"role": "annotator"})
    for who in (script, other):
        for name in [file.removesuffix(".txt") for file in texts]:
            document = script.document(project, name)
            if who is other and name in ("case-06", "case-07"):
                view = who.get(f"/documents/{document['id']}")
                first = view["annotations"][0]
                who.patch(
                    f"/documents/{document['id']}/annotations/{first['id']}",
                    {"nil": True, "revision": view["revision"]},
                )
            elif who is other and name in HELD_OUT:
                _annotate(who, document, "found together" if name == "case-02" else "began", concepts=[GOUT])
            _accept(who, document)
    return project


def _shot(page: Page, name: str, **options: Any) -> None:
    page.wait_for_load_state("load")
    page.wait_for_timeout(700)
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path, **options)
    # 64 colours look the same here, in less than a third of the bytes.
    reduced = Image.open(path).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)


def _take(me: Visitor, server: Server, folder: Path) -> None:
    page = me.page
    page.set_viewport_size({"width": 800, "height": 680})
    me.open()
    page.get_by_label("Repeat the password").wait_for()
    _shot(page, "annotate-set-up")
    script = Script(server.address, *ADMIN, first=True)
    grace = Script(server.address, *script.annotator("grace"))
    project = _taught(script)
    me.open()
    me.sign_in(*ADMIN)
    page.set_viewport_size({"width": 1600, "height": 1000})

    me.open(f"/projects/{project}/upload")
    for name, text in {**OPEN, "notes.json": "{"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    page.locator("#files").set_input_files(sorted(folder.iterdir()))
    page.get_by_role("button", name="Upload", exact=True).click()
    page.get_by_role("region", name="What was read").wait_for()
    script.wait(project)
    _shot(page, "annotate-upload", full_page=True)
    case = _case(script, project)
    compared = _compared(script, grace)

    for path, name, height in (
        ("/", "projects", 480),
        (f"/projects/{project}/queue", "queue", 660),
        (f"/projects/{project}/training", "training", 1900),
        (f"/projects/{project}/learned", "learnt", 720),
        (f"/projects/{project}/export", "export", 820),
        (f"/projects/{project}/history", "history", 820),
        (f"/projects/{compared}/agreement", "agreement", 420),
        (f"/projects/{compared}/progress", "progress", 420),
        (f"/projects/{project}/comments", "comments", 420),
        (f"/projects/{project}/mentions", "mentions", 820),
    ):
        page.set_viewport_size({"width": 1600, "height": height})
        me.open(path)
        page.locator("li.card h2, .documents li, .card table, .card select, .card h2").first.wait_for()
        _shot(page, f"annotate-{name}")

    page.set_viewport_size({"width": 1600, "height": 1000})
    me.open(f"/projects/{compared}/disagreements")
    page.get_by_role("link", name="Settle the first").click()
    page.get_by_role("region", name="Disagreement").get_by_role("heading", name="1 of").wait_for()
    _shot(page, "annotate-curation")
    me.open_document(case)
    page.locator(".text mark[data-start]", has_text="Breast and ovarian cancer").last.click()
    page.get_by_role("article", name="Concept").get_by_role("heading").wait_for()
    _shot(page, "annotate-document")
    page.emulate_media(color_scheme="dark")
    _shot(page, "annotate-document-dark")
    page.set_viewport_size({"width": 400, "height": 860})
    page.locator(".text mark", has_text="bronchial asthma").click()
    page.get_by_role("heading", name="“bronchial asthma”").wait_for()
    _shot(page, "annotate-document-narrow-dark")
    page.emulate_media(color_scheme="light")
    _shot(page, "annotate-document-narrow")
    page.set_viewport_size({"width": 1000, "height": 860})
    page.keyboard.press("?")
    _shot(page, "annotate-keys")
    script.close()
    grace.close()


def _review(page: Page, folder: Path) -> None:
    """The page of a mapping, with some strings decided."""
    (folder / "diagnoses.csv").write_text(DIAGNOSES, encoding="utf-8")
    columns = Columns(text="diagnosis", id="code", frequency="n", context=("ward",))
    mapping = Mapping.new(folder / "diagnoses.csv", folder / "diagnoses.map", "starter", columns=columns)
    for code, concepts, said in (
        ("I10", ["MESH:D006973"], {}),
        ("E11", ["MESH:D003924"], {}),
        ("C50", ["MESH:D001943"], {"status": "flagged"}),
        ("Z99", [], {"status": "ignored"}),
    ):
        [row] = mapping.find(code=code)
        mapping.decide(row.number, concepts, by="ada", **said)
    mapping.close()
    server = ReviewServer(folder / "diagnoses.map")
    try:
        page.set_viewport_size({"width": 1060, "height": 620})
        page.goto(server.address)
        page.get_by_label("Reviewer").fill("ada")
        page.get_by_label("Reviewer").blur()
        page.get_by_role("article", name="Concept").get_by_role("heading").wait_for()
        _shot(page, "map-review")
    finally:
        server.kill()


def main() -> None:
    """A server of its own, and every page of it."""
    folder = Path(tempfile.mkdtemp())
    server = Server(folder / "data")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
            page = browser.new_page()
            page.set_default_timeout(60_000)
            files = folder / "files"
            files.mkdir()
            _take(Visitor(page, server.address), server, files)
            _review(browser.new_page(), folder)
            browser.close()
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
