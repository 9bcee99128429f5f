"""`linnet map check`: whether ids and labels belong together."""

from __future__ import annotations

from typing import Annotated

import typer

from linnet.cli.common_options import OutputOption, SheetOption
from linnet.cli.linking_options import TerminologyOption, ThreadsOption
from linnet.cli.panels import input_option

__all__ = ["check"]


def check(
    table: Annotated[str, typer.Argument(help="Table of pairs.", metavar="TABLE")],
    terminology: TerminologyOption,
    *,
    id: Annotated[str, input_option("--id", help="Column of the ids.", metavar="NAME")],
    label: Annotated[str, input_option("--label", help="Column of the labels.", metavar="NAME")],
    sheet: SheetOption = None,
    output: OutputOption = "-",
    threads: ThreadsOption = None,
) -> None:
    """Say of each pair of an id and a label whether they belong together, as a CSV file.

    Verdicts: name (the label is a name of the concept), likely, doubtful, wrong (the label means another concept), retired, unknown id;
    with the concept that the label means.

    Examples:
      linnet map check pairs.csv --id code --label name -t mesh/ -o checked.csv
    """
    import csv
    from collections import Counter

    from linnet.cli.linking_options import linker_config
    from linnet.cli.progress import counting, note
    from linnet.corpora.table_rows import regular, table_cells
    from linnet.errors import RequestError
    from linnet.formats.delimited import ROW_END, row_stream
    from linnet.io.files import open_output
    from linnet.mapping.checking import Checked, check_pairs

    columns, rows = table_cells(table, sheet=sheet)
    for name in (id, label):
        if name not in columns:
            raise RequestError(f"{table} has no column '{name}'. Columns: {', '.join(columns)}.")
    linker = linker_config(terminology, threads=threads).open()
    pairs = ((regular(row[id]), regular(row[label])) for _, row in rows)
    verdicts: Counter[str] = Counter()
    with open_output(output) as stream:
        writer = csv.writer(row_stream(stream), lineterminator=ROW_END)
        writer.writerow(Checked._fields)
        for checked in counting(check_pairs(pairs, linker), "pairs"):
            verdicts[checked.verdict] += 1
            writer.writerow(["" if cell is None else cell for cell in checked])
    note(", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.most_common()) + ".")
