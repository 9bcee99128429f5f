"""The review of a small mapping on one's own machine, see `tests.annotate.review.conftest`."""

from tests.annotate.review.conftest import make, mapping, omop, open_page, page

__all__ = ["make", "mapping", "omop", "open_page", "page"]
