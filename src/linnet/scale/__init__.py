"""Large corpora: folders of Parquet or JSON Lines, linked in chunks by several processes or a Ray cluster, resumably.

`linnet.scale.job.run` does it. It is not imported here: it takes long to import, and `is_chunked` is asked at every start.
"""

from linnet.scale.request import Request, is_chunked

__all__ = ["Request", "is_chunked"]
