"""Large corpora: folders of Parquet or JSON Lines linked part by part, by several processes or a Ray cluster, resumably.

`linnet.scale.job.run` does it. It is not imported here: asking `in_parts` should not take as long as starting the work.
"""

from linnet.scale.request import Request, in_parts

__all__ = ["Request", "in_parts"]
