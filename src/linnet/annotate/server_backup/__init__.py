"""A whole server as one file: `linnet annotate backup` and `linnet annotate restore`."""
