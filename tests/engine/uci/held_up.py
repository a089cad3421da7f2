"""The engine with a first worker that never comes to look at the clock: it is held up until the search is over.

Now and then that happens where more threads than processors search; here always. The thread that watches the clock must
end the search. If nothing does, the process ends after a while, with the status `NEVER_OVER`.
"""

import os
import time

from engine.__main__ import main

NEVER_OVER = 9
SECONDS = 60.0  # wide: machines are busy


def hold_up():
    from engine.search.workers import WorkerPool

    simulate_chunks = WorkerPool._simulate_chunks

    def work(pool, worker, lookout):
        is_alone = len(pool.workers) == 1  # in the search by which the kernels are loaded
        if worker is not pool.workers[0] or is_alone:
            simulate_chunks(pool, worker, lookout)
            return
        end = time.monotonic() + SECONDS
        while not pool.is_over:
            if time.monotonic() > end:
                os._exit(NEVER_OVER)
            time.sleep(0.002)

    WorkerPool._simulate_chunks = work


if __name__ == "__main__":
    hold_up()
    raise SystemExit(main([]))
