"""Units of work on one machine or many: each is done once, recorded in a journal, and repeatable.

units.py          what a unit is: a function, its input, and an identity
journal.py        which units are done, on disk
pool.py           what a runner needs of workers
runner.py         sends units out until all are done: losses, stragglers, checks by a second worker
verified.py       which units two workers do
run_stats.py      how far a run is, in numbers
interrupts.py     Ctrl-C: once, and twice
groups.py         workers end with all that they have started
processes.py      workers: processes of this machine, or this process itself
addresses.py      which schedulers may be connected to
cluster.py        connects to a Dask cluster, or starts one
dask_pool.py      workers: those of a Dask cluster
versions.py       whether a worker has the versions of the driver
reasons.py        errors of Dask in words
checked_lines.py  files of lines with checksums
command_run.py    a run of a command: its folder, its workers, its progress
arguments.py      the options of commands that run units
display.py        progress on the terminal
"""
