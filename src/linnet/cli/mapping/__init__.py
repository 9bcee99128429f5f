"""`linnet map`: a column of strings mapped to concepts, reviewed and kept."""

from __future__ import annotations

from linnet.cli.lazy import group

__all__ = ["COMMANDS", "app"]

COMMANDS = {
    "new": ("linnet.cli.mapping.new:new", "Make a mapping of a column of a table."),
    "review": ("linnet.cli.mapping.review:review", "Check the mapping on a page in the browser."),
    "decide": ("linnet.cli.mapping.decide:decide", "Map a string to a concept, or to none."),
    "update": ("linnet.cli.mapping.update:update", "Take a newer table of the same source."),
    "upgrade": ("linnet.cli.mapping.upgrade:upgrade", "Go over to a new release of the terminology."),
    "export": (
        "linnet.cli.mapping.export:export",
        "Write it as CSV, Excel, SSSOM, OMOP, Usagi or FHIR ConceptMap.",
    ),
    "import": ("linnet.cli.mapping.take:take", "Take decisions that were made elsewhere."),
    "report": ("linnet.cli.mapping.report:report", "Show how much is mapped, and how right it is."),
    "check": ("linnet.cli.mapping.check:check", "Check that ids and labels belong together."),
}


app = group(
    COMMANDS,
    """Map a column of strings to concepts, check the mapping, and keep it over the years.

    A mapping is a folder: the distinct strings with their codes and frequencies, linnet's proposals, and a log of every decision.
    """,
)
