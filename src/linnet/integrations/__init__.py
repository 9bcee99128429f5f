"""linnet where users already work: spaCy, data frames, assistants. A file each; none is imported before it is asked for."""
