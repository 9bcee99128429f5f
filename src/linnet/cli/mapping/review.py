"""`linnet map review`: the page."""

from __future__ import annotations

from linnet.cli.common_options import MappingArgument, NoBrowserOption, PortOption

__all__ = ["review"]


def review(
    dir: MappingArgument,
    *,
    port: PortOption = 8768,
    no_browser: NoBrowserOption = False,
) -> None:
    """Check a mapping in the browser, by keys. Each decision is saved at once. Only this machine can reach the page.

    Opens http://127.0.0.1:8768.

    Examples:
      linnet map review codes.map/
    """
    from linnet.cli.failures import needs_extra
    from linnet.cli.progress import note

    with needs_extra("The review page", "annotate"):
        from linnet.annotate.review.server import serve
    serve(dir, port=port, browser=not no_browser, report=note)
