"""The machine: cores, memory, processes, locks, the cache folder.

cores, blas                     how many cores there are, and who uses them
memory_errors, free_memory      memory that ran out, memory to give back
processes, child_process        processes that report how they failed, and start again
lockfile, cache                 one process at a time; files that can be rebuilt
"""
