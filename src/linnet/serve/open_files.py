"""How many files a server may open: every connection is one."""

from __future__ import annotations

from linnet.errors import RequestError

__all__ = ["fitting_connections"]

# Files beside the connections: terminologies that are read anew while the old ones are served, batches' answers on disk,
# the log, the event loop. A server of one terminology has 33 files open before the first connection.
_OTHERS = 128


def fitting_connections(wanted: int) -> int:
    """How many connections at once the system lets this process and its children have, `wanted` at most.

    Raises the soft limit of open files (`ulimit -n`) where it is too low and the hard one allows it.
    Raises RequestError where the limit leaves no connection.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHERS
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    possible = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if possible > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
            soft = possible
        except (OSError, ValueError):  # macOS has a third limit, below the hard one
            pass
    if soft <= _OTHERS:
        raise RequestError(
            f"Only {soft:,} files may be open at once, and a server needs more than {_OTHERS:,}. "
            f"Run: ulimit -n {needed}, where the system allows it, then linnet serve again."
        )
    return min(wanted, soft - _OTHERS)
