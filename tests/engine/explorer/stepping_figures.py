"""Figures of stepping through a game in the page: `python -m tests.engine.explorer.stepping_figures`. Chromium.

Nothing here passes or fails: the numbers are for people.
"""

import os
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from engine.explorer.page_files import page_with
from engine.explorer.server import Server
from tests.engine.explorer.conftest import CHROMIUM, SIZE
from tests.engine.explorer.figures import percentile, print_figure
from tests.engine.explorer.games import judge_all, page_of_file
from tests.engine.explorer.judged_games import GAME, saved_game

KEYS = [*["ArrowRight"] * 60, *["ArrowLeft"] * 40]
RESTS = {"one after the other": 30, "the search follows each": 500}  # milliseconds
# Steps by keys; -> milliseconds of each step until its scripts and layout are done, and until it is painted
STEP = """async ([keys, rest]) => {
  const worked = [], painted = [];
  for (const key of keys) {
    const begin = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    document.body.getBoundingClientRect();
    worked.push(performance.now() - begin);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    painted.push(performance.now() - begin);
    await new Promise((done) => setTimeout(done, rest));
  }
  return [worked, painted];
}"""


def measure(page: Page, name: str, rests: dict[str, int]) -> None:
    """Steps at two speeds."""
    page.wait_for_selector("#list [role=treeitem]")
    page.wait_for_timeout(1000)
    for speed, rest in rests.items():
        page.keyboard.press("Home")
        worked, painted = page.evaluate(STEP, [KEYS, rest])
        for what, times in (("worked out", worked), ("painted", painted)):
            print_figure(f"{name}, {speed}: {what}, ms: median, 95 %", percentile(times, 0.5), percentile(times, 0.95))


def main() -> None:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        os.environ["TERESA_REVIEW_DIR"] = folder
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        file = Path(folder, "game.html")
        file.write_bytes(page_with(saved_game()))
        page.goto(file.as_uri())
        measure(page, "saved", {"one after the other": 30})
        session = page_of_file(Path(folder, "games.pgn"), GAME)
        judge_all(session)
        server = Server(session)
        page.goto(server.address)
        measure(page, "search at rest", RESTS)
        session.go()
        measure(page, "search running", RESTS)
        browser.close()
        server.close()
        session.close()


if __name__ == "__main__":
    main()
