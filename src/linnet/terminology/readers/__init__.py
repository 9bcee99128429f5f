"""A reader per terminology format: `readers` by name, `detect` by content, `read` for either."""

from linnet.terminology.readers.detect import detect
from linnet.terminology.readers.options import ReadOptions
from linnet.terminology.readers.registry import Reader, read, readers

__all__ = ["ReadOptions", "Reader", "detect", "read", "readers"]
