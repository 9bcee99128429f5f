"""Documents out of a project, in every corpus format; whole projects in one file and back."""
