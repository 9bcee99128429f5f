"""linnet maps the names people write for diseases, drugs and phenotypes to concepts of a terminology."""

__version__ = "0.1.0"
