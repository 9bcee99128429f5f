"""The annotation tool: a person corrects what the linker is least sure of, and it learns from that.

    api/         what the page and scripts call, and what they are told
    accounts/    who may: passwords, sessions
    store/       tables, migrations, the append-only log
    editing/     annotations changed one by one, undone, redone, refused where two people collide
    importing/   uploads: limits, readers, the report of what was read
    exporting/   corpus formats, backup and restore
    strategies/  which document next
    learning/    from annotations to the next version of a project's model
    jobs/        predicting and training in a process of their own

Needs the `annotate` extra; importing this package alone loads none of it.
"""
