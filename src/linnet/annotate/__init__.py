"""The annotation tool: people correct what the linker is least sure of, and it learns from the corrections.

    api/         the REST API: schemas, routes, access
    accounts/    users, passwords, sessions
    store/       tables, migrations, the append-only log
    editing/     changes to annotations: undo, redo, conflicts
    importing/   uploads: limits, readers, the report of what was read
    exporting/   corpus formats, backup and restore
    jobs/        predicting and training, in a process of their own

Needs the `annotate` extra; importing this package alone loads none of it.
"""
