"""A mapping of a column of strings to concepts: a folder that is reviewed, and kept while source and terminology change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from linnet.advice import Step
from linnet.errors import StoreError
from linnet.io.drafts import draft_directory
from linnet.link.linker_config import LinkerConfig
from linnet.mapping import updating, upgrading
from linnet.mapping.exports import export
from linnet.mapping.exports.table import records
from linnet.mapping.folder import Folder, config_record
from linnet.mapping.imports import Imported, take
from linnet.mapping.proposing import SILENT, Progress, propose
from linnet.mapping.report import Report, report
from linnet.mapping.source_table import Columns, read_source
from linnet.mapping.store import FILE, Store

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Mapping"]


class Mapping(Folder):
    """A folder with the distinct strings of a column, what linnet proposes for each, and every decision that was made.

    Nothing that was decided is lost: decisions are appended to a log, and each call that changes the folder is on the disk when it
    returns. `for row in mapping` gives the rows; `mapping[number]` one of them.
    """

    @classmethod
    def new(
        cls,
        table: str | Path,
        path: str | Path,
        linker: LinkerConfig | str | Path,
        *,
        columns: Columns | None = None,
        settings: dict[str, Any] | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Make the folder `path` of a table (CSV, TSV, Parquet, a workbook), and propose concepts for its strings.

        linker    what proposes: a terminology, or a configuration
        columns   of the table
        settings  `four_eyes` (True: a row counts once two people have decided the same), and the metadata of exports

        Interrupted, the folder is there with all rows, and `update` goes on. Raises StoreError if `path` exists, and as
        `read_source` and `LinkerConfig.open`.
        """
        path = Path(path)
        if path.exists():
            raise StoreError(f"{path} exists. Name another folder.", Step.UPDATE_MAPPING(mapping=path))
        source = read_source(table, columns or Columns())
        config = _config(linker).located()
        opened = config.open()
        with draft_directory(path) as draft:
            store = Store.create(draft / FILE)
            with store.changing():
                updating.begin(store, source, config_record(config), settings or {})
            store.close()
            draft.rename(path)
        mapping = cls.open(path)
        mapping._linker = opened
        propose(mapping.store, opened, progress=progress)
        return mapping

    def to_arrow(self) -> pa.Table:
        """All rows as a table of Arrow, for data frames: `mapping.to_arrow().to_pandas()`."""
        import pyarrow as pa

        return pa.Table.from_pylist(list(records(self)))

    def update(self, table: str | Path | None = None, *, progress: Progress = SILENT) -> updating.Updated:
        """Take a newer table of the source: see `linnet.mapping.updating.update`."""
        return updating.update(self, table, progress=progress)

    def upgrade(
        self, linker: LinkerConfig | str | Path, *, progress: Progress = SILENT
    ) -> upgrading.Upgraded:
        """Go over to a new release of the terminology: see `linnet.mapping.upgrading.upgrade`. Raises as `LinkerConfig.open`."""
        config = _config(linker).located()
        return upgrading.upgrade(self, config.open(), lambda: self.change_linker(config), progress=progress)

    def take(self, path: str | Path, *, format: str | None = None, by: str = "") -> Imported:
        """Take decisions that were made elsewhere: see `linnet.mapping.imports.take`."""
        return take(self, path, format=format, by=by)

    def export(self, path: str | Path, *, format: str | None = None, **options: Any) -> list[str]:
        """Write it for others: see `linnet.mapping.exports.export`."""
        return export(self, path, format=format, **options)

    def report(self) -> Report:
        """How far it is: see `linnet.mapping.report.report`."""
        return report(self)


def _config(linker: LinkerConfig | str | Path) -> LinkerConfig:
    return linker if isinstance(linker, LinkerConfig) else LinkerConfig.of([linker], {})
