"""The formats of files: one table of those that linnet reads or writes, one of those that it knows and refuses.

Both name the signs by which a file shows what it is: `linnet.formats.signs` says what they mean, `linnet.formats.head` holds the
first bytes that they are sought in.
"""

from linnet.formats.head import Head
from linnet.formats.table import Format, formats

__all__ = ["Format", "Head", "formats"]
