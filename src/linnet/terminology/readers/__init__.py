"""One reader per terminology format: `readers` by name, `detect` by content, `read` for both,
`read_several` for several sources of one terminology."""

from linnet.terminology.readers.detect import detect
from linnet.terminology.readers.multi_source import read_several
from linnet.terminology.readers.options import ReadOptions
from linnet.terminology.readers.registry import read, readers

__all__ = ["ReadOptions", "detect", "read", "read_several", "readers"]
