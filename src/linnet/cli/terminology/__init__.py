"""`linnet terminology`: build, join, inspect and search terminologies."""

from __future__ import annotations

from linnet.cli.lazy import group

__all__ = ["COMMANDS", "app"]

COMMANDS = {
    "build": ("linnet.cli.terminology.build:build", "Compile source files into a terminology."),
    "merge": ("linnet.cli.terminology.merge:merge", "Join terminologies, or enrich one from others."),
    "augment": (
        "linnet.cli.terminology.augment:augment",
        "Add a corpus's mentions as names of their concepts.",
    ),
    "info": ("linnet.cli.terminology.info:info", "Show what a terminology holds, and check its files."),
    "search": ("linnet.cli.terminology.search:search", "Find concepts by words, beginnings of words, or id."),
    "diff": ("linnet.cli.terminology.diff:diff", "List the changes between two releases."),
    "fetch": ("linnet.cli.terminology.fetch:fetch", "Download a public source from its publisher."),
}


app = group(
    COMMANDS,
    """Build, join, inspect and search terminologies.

    A terminology is a directory made by `build` that opens in milliseconds whatever its size.
    """,
)
