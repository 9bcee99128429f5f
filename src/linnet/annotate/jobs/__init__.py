"""Work that takes longer than a request: done one after the other by the trainer, a process of its own.

The `jobs` table is the truth. A queue (huey, in a SQLite file of its own) wakes the trainer; what the queue loses with a
process that is killed, the trainer finds in the table when it starts again.
"""
