"""Backups: of a project, made and restored on the page; and of a server, by `linnet annotate backup` and `restore`."""
