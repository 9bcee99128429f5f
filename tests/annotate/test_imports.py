"""What the annotation tool takes from the rest of linnet."""

from __future__ import annotations

import grimp

# Packages as wholes, then modules. A new line is a new dependency: is there none that does?
PACKAGES = {"active", "http", "mapping"}
MODULES = {
    # terminologies and what they say
    "terminology", "terminology.browsing", "terminology.search", "terminology.store", "words.curies", "read.assertion", "read.sections",
    # texts and their annotations
    "corpora", "corpora.link_output", "corpora.table", "formats", "formats.kinds", "words.text", "types",
    # linking and models
    "io.artifact", "link", "link.learned", "link.linker", "link.starter",
    # processes, files and numbers
    "arrays", "system.child_process", "system.cores", "io.drafts", "io.file_stamps", "io.json_integers", "system.lockfile",
    "system.processes",
    # what happened, in words
    "advice", "errors", "evaluate.interval", "extras", "plural",
}  # fmt: skip


def test_the_annotation_tool_takes_from_linnet_what_is_declared_and_nothing_else() -> None:
    graph = grimp.build_graph("linnet")
    own = {"linnet.annotate", *graph.find_descendants("linnet.annotate")}
    taken = {name for module in own for name in graph.find_modules_directly_imported_by(module)} - own
    names = {name.removeprefix("linnet.") for name in taken - {"linnet"}}
    assert {name for name in names if name.partition(".")[0] not in PACKAGES} == MODULES
