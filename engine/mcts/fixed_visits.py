"""A fixed number of visits in a tree: the one loop around the kernel, for benches, self-play and small searches."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from engine.mcts.params import NETWORK, Root, SearchParams, Worker
from engine.mcts.simulate import simulate_many
from engine.mcts.tree import Tree
from engine.network.architecture import Network
from movegen.bits import ONE, U64

if TYPE_CHECKING:
    from engine.mcts.queue import NetQueue

VISITS_AT_ONCE = 20_000  # between two looks at whether to stop
TO_EXPAND = 2  # the first visit evaluates the root, the second makes its moves


class SearchTask(NamedTuple):
    """What is searched, and how."""

    tree: Tree
    root: Root
    network: Network
    params: SearchParams
    queue: "NetQueue | None" = None  # of a network outside the kernels, which then evaluates instead of `network`

    @property
    def workers(self) -> int:
        """Threads that there should be at least."""
        return 1 if self.queue is None else self.queue.net.workers


def simulate(task: SearchTask, worker: Worker, count: int) -> int:
    """Make simulations by one call of the kernel; -> how many: fewer if the root is proven or threads must stop."""
    if task.queue is not None and task.params.evaluator == NETWORK:
        return task.queue.simulate(task.tree, task.root, task.params, worker, count)
    return int(simulate_many(task.tree, task.root, task.network, task.params, worker, U64(count)))


def make_visits(
    task: SearchTask,
    worker: Worker,
    visits: int,
    is_stopped: Callable[[], bool] = lambda: False,
    at_once: int = VISITS_AT_ONCE,
) -> int:
    """Make visits until all are made, the root is proven or `is_stopped`; -> how many were made."""
    made = 0
    while made < visits and not is_stopped():
        chunk = min(at_once, visits - made)
        if task.queue is not None:
            chunk = min(chunk, task.queue.visits_at_once(task.tree, task.params))
        done = simulate(task, worker, chunk)
        made += done
        if done < chunk:
            break
    return made


def expand_root(task: SearchTask, worker: Worker, visits: int = TO_EXPAND) -> None:
    """Make the root's moves, by its first two visits. A batch would stop at the root without making them."""
    simulate(task._replace(params=task.params._replace(batch=ONE)), worker, visits)
