"""`python -m tests.perft.runner.simulation`: the use of large clusters, from recorded units and measured overhead.

Units have the relative lengths of a recorded run. The driver and the scheduler handle one unit at a time; messages take
a while; each worker has three units, begun or waiting, as long as there are some, and then takes from others, as Dask's
workers do.
"""

import heapq
import itertools
import random
from collections import deque
from dataclasses import dataclass

from perft.count_units import unit_seconds

# CPU milliseconds of 40 units of perft(9), each of 340 positions at ply 5. Longer units differ less.
RECORDED = (
    *(199, 205, 201, 193, 208, 226, 211, 277, 246, 221, 210, 214, 209, 206, 208, 220, 203, 207, 201, 198),
    *(208, 216, 230, 216, 207, 195, 198, 215, 197, 202, 201, 209, 201, 213, 202, 197, 198, 200, 197, 198),
)
OVERHEAD = 0.0012  # seconds of the driver and its scheduler for a unit
LATENCY = 0.02  # seconds of a message
WINDOW = 3
RESTART = 5.0  # seconds until a killed worker is there again


@dataclass(frozen=True)
class Cluster:
    """What is simulated."""

    workers: int
    unit: float  # seconds, on average
    kills: float = 0.0  # of each worker, an hour
    slow: float = 0.0  # share of the workers that have half the speed


def durations(total, unit, rng):
    """Lengths of units that take `total` seconds together."""
    mean = sum(RECORDED) / len(RECORDED)
    return [unit * rng.choice(RECORDED) / mean for _ in range(max(1, round(total / unit)))]


class Simulation:
    """The time until all units are done."""

    def __init__(self, cluster, lengths, seed=0):
        self.cluster, self.rng = cluster, random.Random(seed)
        self.unsent, self.left = deque(lengths), len(lengths)
        self.queues = [deque() for _ in range(cluster.workers)]
        self.busy = [False] * cluster.workers
        self.speeds = [0.5 if number < cluster.slow * cluster.workers else 1.0 for number in range(cluster.workers)]
        self.events, self.order, self.free_at = [], itertools.count(), 0.0

    def at(self, time, what, *details):
        heapq.heappush(self.events, (time, next(self.order), what, details))

    def run(self):
        for number in range(WINDOW * self.cluster.workers):
            self.send(0.0, number % self.cluster.workers)
        time = 0.0
        while self.left:
            time, _, what, details = heapq.heappop(self.events)
            what(time, *details)
        return time

    def send(self, time, worker):
        """The driver and the scheduler handle an answer, and send the next unit."""
        self.free_at = max(time, self.free_at) + OVERHEAD
        if self.unsent:
            self.at(self.free_at + LATENCY, self.arrive, worker, self.unsent.popleft())
        else:
            self.at(self.free_at + LATENCY, self.steal, worker)

    def arrive(self, time, worker, length):
        self.queues[worker].append(length)
        self.begin(time, worker)

    def begin(self, time, worker):
        if self.busy[worker] or not self.queues[worker]:
            return
        self.busy[worker], length = True, self.queues[worker].popleft()
        seconds = length / self.speeds[worker]
        killed = self.rng.expovariate(self.cluster.kills / 3600) if self.cluster.kills else float("inf")
        if killed < seconds:
            self.at(time + killed, self.die, worker, length)
        else:
            self.at(time + seconds, self.finish, worker)

    def finish(self, time, worker):
        self.left -= 1
        self.busy[worker] = False
        self.begin(time, worker)
        self.send(time + LATENCY, worker)

    def die(self, time, worker, length):
        """The unit goes to another worker, or waits."""
        self.unsent.appendleft(length)
        self.at(time + RESTART, self.come_back, worker)

    def come_back(self, time, worker):
        self.busy[worker] = False
        self.begin(time, worker)
        self.send(time, worker)

    def steal(self, time, worker):
        """A worker without work takes from the one that has the most."""
        if self.busy[worker] or self.queues[worker]:
            return
        if self.unsent:
            self.send(time, worker)
            return
        most = max(range(len(self.queues)), key=lambda other: len(self.queues[other]))
        if self.queues[most]:
            self.arrive(time + LATENCY, worker, self.queues[most].pop())


def use_of(cluster, total, seed=0):
    """The share of the cluster's time that is work which counts."""
    lengths = durations(total, cluster.unit, random.Random(seed))
    speed = cluster.workers * (1 - cluster.slow / 2)
    return sum(lengths) / (Simulation(cluster, lengths, seed).run() * speed)


# Seconds of one core: the leaves that are left at ply 7, at the rate of perft(9); see docs/perft.md.
WORK = {10: 2.9e3, 11: 8.8e4, 12: 2.7e6}
MERGING = 120.0  # seconds on one core, to ply 7


def hours_text(seconds):
    """A time as people say it."""
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def main():
    """Print the tables of docs/perft.md."""
    print("| workers | perft(10) | perft(11) | perft(12) |\n|---|---|---|---|")
    for workers in (2, 16, 100, 1000):
        times = []
        for total in WORK.values():
            cluster = Cluster(workers, unit_seconds(total, workers))
            times.append(total / (workers * use_of(cluster, total)) + MERGING)
        print(f"| {workers} | {' | '.join(map(hours_text, times))} |")
    print("\n| units of | use | with kills and slow workers |\n|---|---|---|")
    for unit in (1.0, 10.0, 60.0):
        good, bad = Cluster(1000, unit), Cluster(1000, unit, kills=1.0, slow=0.1)
        print(f"| {unit:g} s | {use_of(good, WORK[12]):.0%} | {use_of(bad, WORK[12]):.0%} |")


if __name__ == "__main__":
    main()
