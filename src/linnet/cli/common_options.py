"""Options that commands of several groups share."""

from __future__ import annotations

from typing import Annotated

from linnet.cli.panels import input_option, output_option, running_option

__all__ = ["NoBrowserOption", "OutputOption", "PortOption", "SheetOption"]

SheetOption = Annotated[
    str | None, input_option("--sheet", help="Sheet of an Excel file that has several.", metavar="NAME")
]
OutputOption = Annotated[
    str, output_option("--output", "-o", help="Where to write; - for standard output.", metavar="OUT")
]
PortOption = Annotated[
    int,
    running_option("--port", help="Port to listen on; 0 for any free port.", min=0, max=65535, metavar="N"),
]
NoBrowserOption = Annotated[bool, running_option("--no-browser", help="Do not open the page in a browser.")]
