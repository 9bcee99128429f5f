"""`linnet map review`: the page."""

from __future__ import annotations

from typing import Annotated

from linnet.cli.mapping.arguments import MappingArgument
from linnet.cli.panels import running_option

__all__ = ["review"]


def review(
    dir: MappingArgument,
    *,
    port: Annotated[
        int,
        running_option(
            "--port", help="Port to listen on; 0 for any free port.", min=0, max=65535, metavar="N"
        ),
    ] = 8768,
    no_browser: Annotated[
        bool, running_option("--no-browser", help="Do not open the page in a browser.")
    ] = False,
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
