"""Figures of the explorer: `python -m tests.engine.explorer.figures`. A quiet machine, Linux, Chromium.

Nothing here passes or fails: the numbers are for people.
"""

import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from engine.analysis import Analysis
from engine.explorer.interactive import InteractiveSession
from engine.explorer.server import Server
from engine.report.snapshot import NotInMemoryError
from engine.report.tree_file import load
from tests.engine.explorer.conftest import CHROMIUM, SIZE
from tests.engine.report.searches import MIDDLEGAME, report_of, save

PAIRS, SECONDS = 10, 5.0
LARGE_TREE, LARGE_HASH = 10_000_000, 4096  # visits, MB
OPENED = 100

# Records when a text was painted: [[time, text], ...]
WATCH_VISITS = """() => {
  window.painted = [];
  const visits = document.getElementById('visits');
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(
    () => window.painted.push([Date.now(), visits.textContent])))).observe(visits, {childList: true});
  window.long = [];
  new PerformanceObserver((list) => window.long.push(...list.getEntries().map((one) => one.duration)))
    .observe({type: 'longtask'});
}"""
# Opens a move of the table; -> milliseconds until the moves below it are painted
OPEN = """(index) => new Promise((resolve) => {
  const rows = document.querySelectorAll('tbody tr'), row = rows[Math.min(index, rows.length - 1)];
  const crumbs = document.getElementById('crumbs'), depth = crumbs.children.length, begin = performance.now();
  const isThere = () => document.querySelector('tbody tr') || document.querySelector('.empty:not([hidden])');
  const look = () => {
    if (crumbs.children.length === depth || !isThere()) requestAnimationFrame(look);
    else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
  };
  row.dispatchEvent(new MouseEvent('dblclick', {bubbles: true}));
  look();
})"""


def print_figure(name: str, *values: object) -> None:
    """One line of the table."""
    print(f"{name:58}", *(f"{value:.3g}" if isinstance(value, float) else value for value in values), flush=True)


def percentile(values: list[float], share: float) -> float:
    """The value below which a share of all lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def cpu_of(name: str) -> float:
    """CPU seconds of the threads of a name."""
    threads = [thread for thread in threading.enumerate() if thread.name.startswith(name) and thread.ident]
    return sum(time.clock_gettime(time.pthread_getcpuclockid(thread.ident)) for thread in threads if thread.ident)


@contextmanager
def served(**options: object) -> Iterator[tuple[InteractiveSession, Server]]:
    """A search that runs, and its page."""
    session = InteractiveSession([("PUCT, network", Analysis(MIDDLEGAME, {"Hash": 1024, **options}))])
    session.start()
    server = Server(session)
    yield session, server
    server.close()
    session.close()


def measure_speed(page: Page) -> None:
    """Visits per CPU second of the search with and without a page."""
    with served() as (session, server):
        ratios, publishing, idle = [], [], []
        for number in range(PAIRS):
            rates = {}
            for is_watched in (number % 2 == 0, number % 2 == 1):  # the tree grows, which favours the first
                page.goto(server.address if is_watched else "about:blank")
                page.wait_for_timeout(1000)
                rates[is_watched] = rate(session)
            ratios.append(rates[True][0] / rates[False][0])
            publishing.append(rates[True][1])
            idle.append(rates[False][1])
        print_figure("visits per CPU second, with page / without, median", statistics.median(ratios))
        print_figure(
            "CPU of publishing, ms a second: with a client, without", *map(statistics.median, (publishing, idle))
        )


def rate(session: InteractiveSession) -> tuple[float, float]:
    """Visits per CPU second of the search, and CPU milliseconds a second of the server."""
    session.look()
    visits, search, server = visits_of(session), cpu_of("search"), cpu_of("explorer")
    time.sleep(SECONDS)
    searched = cpu_of("search") - search
    return (visits_of(session) - visits) / searched, 1000 * (cpu_of("explorer") - server) / SECONDS


def visits_of(session: InteractiveSession) -> int:
    """Visits of the root by now."""
    return int(session.analyses[0].searcher.report().snapshot.tree.visits[0])


def measure_latency(page: Page) -> None:
    """From a look at the tree to pixels, updates a second, long tasks."""
    with served() as (session, server):
        looked: dict[str, float] = {}
        frame = session.frame

        def noted(path: str, lines: int = 8) -> list[dict[str, object]]:
            moment, found = time.time(), frame(path, lines)
            looked[f"{found[0]['summary']['visits']:,}"] = moment
            return found

        session.frame = noted  # type: ignore[method-assign]
        page.goto(server.address)
        page.wait_for_selector("tbody tr")
        page.wait_for_timeout(2000)
        page.evaluate(WATCH_VISITS)
        page.wait_for_timeout(60_000)
        painted, long = page.evaluate("[window.painted, window.long]")
        delays = [moment - 1000 * looked[text] for moment, text in painted if text in looked]
        print_figure("look at the tree to pixels, ms: median, p95", statistics.median(delays), percentile(delays, 0.95))
        print_figure("updates a second", len(painted) / 60)
        print_figure("long tasks in 60 s", len(long), [round(one) for one in long])
        print_figure("DOM elements", page.evaluate("document.querySelectorAll('*').length"))


def measure_start(page: Page) -> None:
    """From the command to the first picture."""
    whole, alone = [], []
    for _ in range(5):
        page.goto("about:blank")
        begin = time.perf_counter()
        command = [sys.executable, "-m", "engine", "explore", MIDDLEGAME, "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            address = process.stdout.readline().strip()
            page.goto(address)
            page.wait_for_selector("tbody tr")
            whole.append(time.perf_counter() - begin)
            page.goto("about:blank")
            begin = time.perf_counter()
            page.goto(address)
            page.wait_for_selector("tbody tr")
            alone.append(time.perf_counter() - begin)
            process.terminate()
    print_figure("first picture, s: from the command, page alone", min(whole), min(alone))


def measure_stop(page: Page) -> None:
    """`stop` to `bestmove`, and `isready` during a search, with the page open."""
    stops, readies = [], []
    with subprocess.Popen([sys.executable, "-m", "engine"], stdin=-1, stdout=-1, text=True, bufsize=1) as process:
        assert process.stdin
        assert process.stdout

        def until(start: str) -> str:
            return next(line for line in process.stdout if line.startswith(start))  # type: ignore[union-attr]

        def ask(text: str, answer: str) -> float:
            begin = time.perf_counter()
            process.stdin.write(text + "\n")  # type: ignore[union-attr]
            until(answer)
            return 1000 * (time.perf_counter() - begin)

        process.stdin.write("isready\nsetoption name Explorer value true\n")
        page.goto(until("info string explorer at").split()[-1])
        for _ in range(40):
            process.stdin.write("go infinite\n")
            page.wait_for_timeout(500)
            readies.append(ask("isready", "readyok"))
            stops.append(ask("stop", "bestmove"))
        print_figure("stop to bestmove, ms: median, most", statistics.median(stops), max(stops))
        print_figure("isready to readyok, ms: median, most", statistics.median(readies), max(readies))
        process.stdin.write("go infinite\n")
        page.wait_for_timeout(500)
        begin = time.perf_counter()
        process.stdin.write("quit\n")
        process.wait()
        print_figure("quit with a client, s", time.perf_counter() - begin)


def measure_large_tree(page: Page) -> None:
    """Nodes of a large tree, opened at random."""
    analysis = Analysis(MIDDLEGAME, {"Hash": LARGE_HASH})
    analysis.start(visits=LARGE_TREE)
    analysis.wait()
    session = InteractiveSession([("PUCT, network", analysis)])
    session.pause()
    server = Server(session)
    summary = session.report(0).summary()
    print_figure("large tree: visits, share of memory", f"{summary['visits']:,}", summary["memory"])
    rng, served_in, painted_in, lost = random.Random(1), [], [], 0
    for _ in range(OPENED):
        path = ""
        while True:
            begin = time.perf_counter()
            try:
                rows = session.node(0, path)["rows"]
            except NotInMemoryError:
                lost += 1
                break
            served_in.append(1000 * (time.perf_counter() - begin))
            below = [row["uci"] for row in rows if row["n"] > 1 and not row["proven"]]
            if not below or rng.random() < 0.1:
                break
            path = f"{path}/{rng.choice(below)}".lstrip("/")
    print_figure("open a node, server, ms: median, p95, opened, lost", *quantiles(served_in), len(served_in), lost)
    page.goto(server.address)
    page.wait_for_selector("tbody tr")
    page.wait_for_timeout(3000)
    for _ in range(OPENED):
        painted_in.append(page.evaluate(OPEN, rng.randrange(3)))
        page.wait_for_timeout(300)
        if page.locator("#crumbs button").count() > 8 or not page.locator("tbody tr").count():
            page.keyboard.press("Home")
            page.wait_for_timeout(500)
    print_figure("open a node, painted, ms: median, p95", *quantiles(painted_in))
    server.close()
    session.close()


def quantiles(values: list[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    return statistics.median(values), percentile(values, 0.95)


def measure_saving() -> None:
    """A tree of a million visits to a file and back."""
    analysis = Analysis(MIDDLEGAME, {"Hash": 1024})
    analysis.start(visits=1_000_000)
    analysis.wait()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tree.npz"
        begin = time.perf_counter()
        save(file, analysis.searcher, MIDDLEGAME, ())
        saved = time.perf_counter() - begin
        begin = time.perf_counter()
        report_of(load(file))
        loaded = time.perf_counter() - begin
        print_figure("1 M visits: save s, load s, MB", saved, loaded, file.stat().st_size / 1e6)


def main() -> None:
    """All figures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        for measure in (measure_start, measure_speed, measure_latency, measure_stop, measure_large_tree):
            measure(page)
        browser.close()
    measure_saving()


if __name__ == "__main__":
    main()
