"""`linnet map upgrade`: a new release of the terminology."""

from __future__ import annotations

from dataclasses import replace

from linnet.cli.common_options import MappingArgument
from linnet.cli.linking_options import TerminologyOption, ThreadsOption

__all__ = ["upgrade"]


def upgrade(dir: MappingArgument, terminology: TerminologyOption, *, threads: ThreadsOption = None) -> None:
    """Go over to a new release: rows whose concepts it retired, split, removed or renamed come back for review, and those without a
    concept for which it has a new one. Nothing else changes.

    Examples:
      linnet map upgrade codes.map/ -t mesh-2027/
    """
    from linnet.cli.linking_options import linker_config
    from linnet.cli.mapping.shown import coverage, proposing
    from linnet.cli.progress import aligned, note
    from linnet.mapping import Mapping
    from linnet.plural import counted

    mapping = Mapping.open(dir)
    place = linker_config(terminology).terminologies
    config = replace(mapping.config, terminologies=place, threads=threads)
    with proposing() as progress:
        changed = mapping.upgrade(config, progress=progress)
    if changed.reasons:
        note("Returned for review, strings:")
        note(aligned({reason: f"{count:,}" for reason, count in changed.reasons.most_common()}))
    note(f"Unchanged: {counted(changed.unchanged, 'decisions')}.")
    note(coverage(mapping))
