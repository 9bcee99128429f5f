"""Work that takes longer than a request. The trainer, a separate process, does one job after the other.

Requests add rows to the `jobs` table; the trainer looks there for the next one. Nothing else holds a job, so none is lost
when a process is killed.
"""
