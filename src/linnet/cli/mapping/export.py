"""`linnet map export`: a mapping for others to read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from linnet.cli.common_options import MappingArgument
from linnet.cli.panels import output_option

__all__ = ["export"]


def export(
    dir: MappingArgument,
    output: Annotated[
        Path,
        output_option("--output", "-o", help="File to write; its ending says the format.", metavar="OUT"),
    ],
    *,
    format: Annotated[
        str | None,
        output_option(help="csv, tsv, xlsx, sssom, omop, usagi, conceptmap or overrides.", metavar="NAME"),
    ] = None,
    unchecked: Annotated[
        float | None,
        output_option(
            help="Also what nobody has checked and is at least so probable; sssom, omop and conceptmap leave it out otherwise.",
            min=0,
            max=1,
            metavar="P",
        ),
    ] = None,
    metadata: Annotated[
        list[str] | None,
        output_option(
            help="What is said of the mappings, e.g. license=ADDRESS, or a TOML file of such keys; repeatable.",
            metavar="KEY=VALUE|FILE",
        ),
    ] = None,
) -> None:
    """Write a mapping: OUT.csv, .tsv or .xlsx with all rows; .usagi.csv; .sssom.tsv, .omop.csv, .conceptmap.json and overrides.tsv with
    what is approved.

    Examples:
      linnet map export codes.map/ -o codes.sssom.tsv --metadata license=https://creativecommons.org/licenses/by/4.0/
      linnet map export codes.map/ -o codes.omop.csv --unchecked 0.95
      linnet map export codes.map/ -o review.xlsx
    """
    from linnet.cli.progress import note
    from linnet.mapping import Mapping
    from linnet.terminology.mapping_metadata import read_metadata

    given = dict(read_metadata(metadata or ()))
    for line in Mapping.open(dir).export(output, format=format, metadata=given, unchecked=unchecked):
        note(line)
