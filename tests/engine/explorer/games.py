"""Games to show, and requests about them as a page makes them."""

from dataclasses import dataclass

from engine.analysis import Analysis
from engine.config.options import Options
from engine.explorer.app import new_app
from engine.explorer.game_library import GameLibrary
from engine.explorer.game_page import GamePage
from engine.explorer.guard import Guard
from engine.pgn.game_tree import GameTree
from engine.review.plan import Plan
from engine.search.clock import Limits
from tests.engine.explorer.views import until

TOKEN, HOST = "t" * 43, "127.0.0.1:4000"
KNOWN = {"Authorization": f"Bearer {TOKEN}"}
POSTED = {**KNOWN, "Origin": f"http://{HOST}", "Content-Type": "application/json"}
FOOLS_MATE = """[Event "Club"]
[White "Anna, B"]
[Black "Carl"]
[Result "0-1"]

1. f3 {[%clk 0:00:59]} e5 2. g4 (2. e4 Nc6) 2... Qh4# 0-1
"""
ATOMIC = '[Event "B"]\n[White "Dora"]\n[Black "Emil"]\n[Result "*"]\n[Variant "Atomic"]\n\n1. e4 *\n'
LONG = '[Event "C"]\n[White "Dora"]\n[Black "Emil"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 *\n'
FILE = f"{FOOLS_MATE}\n{ATOMIC}\n{LONG}"
QUICKLY = Plan(Limits(nodes=30), Limits(nodes=100))


def options():
    found = Options()
    found.set("Hash", "4")
    found.set("Seed", "1")
    return found


def new_page(tree=None, library=None, *, number=None, node=0, plan=QUICKLY):
    """A page whose search rests. The game is not judged before `judge_all`, or a look."""
    tree = tree or GameTree.of(FOOLS_MATE)
    searches = [("PUCT, network", Analysis(tree.position_at(node), options()))]
    page = GamePage(searches, tree, library, number=number, node=node, options=options(), plan=plan)
    page.pause()
    return page


def page_of_file(path, text=FILE, number=1, **named):
    path.write_text(text, encoding="utf-8", newline="")
    library = GameLibrary(path)
    return new_page(library.tree(number), library, number=number, **named)


def judge_all(page):
    page.judge.start(page.game)
    until(lambda: not page.judge.is_running)


@dataclass
class Asker:
    """Makes the requests of a page."""

    client: object

    @classmethod
    def of(cls, page):
        from starlette.testclient import TestClient

        return cls(TestClient(Guard(new_app(page), 4000, TOKEN), base_url=f"http://{HOST}"))

    def get(self, name, /, **asked):
        answer = self.client.get(f"/data/{name}", params=asked, headers=KNOWN)
        return answer.json() if answer.status_code == 200 else (answer.status_code, answer.text)

    def post(self, name, /, **asked):
        answer = self.client.post(f"/do/{name}", json=asked, headers=POSTED)
        return answer.json() if answer.status_code == 200 else (answer.status_code, answer.text)
