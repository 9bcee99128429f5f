"""Large corpora: folders of Parquet or JSON Lines linked part by part, by several processes or a Ray cluster, resumably."""

from linnet.scale.job import run
from linnet.scale.request import Request, in_parts

__all__ = ["Request", "in_parts", "run"]
