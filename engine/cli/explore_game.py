"""Games in the browser: opened, judged, shown, saved; what `teresa explore` and `teresa review --explore` share."""

import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from engine.analysis import Analysis
from engine.cli.progress import ProgressDisplay, warm_up
from engine.config.options import Options
from engine.explorer.background_judge import DEEP
from engine.explorer.export import annotated_text, page
from engine.explorer.game_library import GameLibrary
from engine.explorer.game_page import GamePage
from engine.explorer.view import View
from engine.pgn.game_tree import GameTree
from engine.review.plan import Plan
from engine.system.environment import check_extra
from engine.system.files import write_whole
from movegen import Position
from perft.exits import DONE, INTERRUPTED

if TYPE_CHECKING:
    from engine.explorer.server import Server

SECONDS_BETWEEN_LOOKS = 0.1


class ChosenGame:
    """The game that is shown first."""

    def __init__(
        self, tree: GameTree, library: GameLibrary | None = None, number: int | None = None, ply: int | None = None
    ) -> None:
        """`ValueError` if the game has no position after `ply` half-moves."""
        self.tree, self.library, self.number = tree, library, number
        line = tree.main_line()
        if ply is not None and not 0 <= ply < len(line):
            origin = f"{tree.found.origin}: " if tree.found else ""
            raise ValueError(f"{origin}it has {len(line) - 1} half-moves, not {ply}")
        self.node = line[ply or 0].id

    @classmethod
    def in_file(
        cls, path: str | Path, game: int | None = None, ply: int | None = None, encoding: str | None = None
    ) -> "ChosenGame":
        """A game of a file; without a number the first one that can be opened."""
        library = GameLibrary(path, encoding)
        try:
            number, tree = library.first_tree(game)
            return cls(tree, library, number, ply)
        except ValueError:
            library.close()
            raise

    @classmethod
    def empty(cls, fen: str, *, chess960: bool) -> "ChosenGame":
        """No moves yet."""
        return cls(GameTree.empty(fen, chess960=chess960))

    @property
    def position(self) -> Position:
        """Where the page begins."""
        return self.tree.position_at(self.node)


def new_page(
    chosen: ChosenGame, searches: list[tuple[str, Analysis]], options: Options, plan: Plan | None, visits: int | None
) -> GamePage:
    """The session of a game."""
    return GamePage(
        searches,
        chosen.tree,
        chosen.library,
        number=chosen.number,
        node=chosen.node,
        options=options,
        plan=plan,
        visits=visits,
    )


def explore_game(
    path: str | Path,
    *,
    game: int | None = None,
    plan: Plan | None = None,
    encoding: str | None = None,
    options: Options | None = None,
    port: int = 0,
    has_browser: bool = True,
) -> int:
    """Show a game of a file until Ctrl-C, judged by a plan; -> exit status. `ValueError` if it cannot be opened."""
    check_extra("explore")
    chosen, settings = ChosenGame.in_file(path, game, encoding=encoding), options or Options()
    warm_up()
    title = f"{settings.formula}, {settings.evaluator.lower()}"
    session = new_page(chosen, [(title, Analysis(chosen.position, settings))], settings, plan, None)
    return show_interactive(session, None, port, has_browser=has_browser)


# Until Ctrl-C


def show_interactive(session: GamePage, seconds: float | None, port: int, *, has_browser: bool) -> int:
    """Serve the page; the search pauses after some seconds."""
    session.start()
    end = threading.Timer(seconds or 0, session.pause)
    end.daemon = True
    if seconds:
        end.start()
    try:
        return show(session, port, has_browser=has_browser)
    finally:
        end.cancel()
        session.close()
        numbers = sorted(game.number for game in session.unsaved() if game.number is not None)
        if numbers:
            names = ", ".join(map(str, numbers))
            print(f"teresa explore: variations that were not saved are gone: game {names}", file=sys.stderr)


def show(view: View, port: int, *, has_browser: bool) -> int:
    """Serve the page until Ctrl-C, which is how the user ends it: that is no interruption."""
    from engine.explorer.server import Server  # needs the extra `explore`

    server = Server(view, port)
    try:
        print(f"{server.address}\n(Ctrl-C ends it)", flush=True)
        if has_browser:
            _open_browser(server)
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return DONE
    finally:
        server.close()


def _open_browser(server: "Server") -> None:
    try:
        server.open_browser()
    except ValueError as error:  # the address is printed: any browser can open it
        print(f"teresa explore: {error}", file=sys.stderr)


# Saved


def check_original(path: Path, name: str) -> None:
    """`ValueError` if a file would replace the one that it is made from."""
    if path.exists() and Path(name).exists() and path.samefile(name):
        raise ValueError(f"{path}: the original stays as it is; choose another name")


def save_judged(session: GamePage, html: Path | None, pgn: Path | None) -> int:
    """Judge the game, then write it as a page, as PGN, or both; -> exit status."""
    status = DONE
    session.judge.start(session.game)
    try:
        _wait_for_judge(session)
    except KeyboardInterrupt:
        print("teresa explore: interrupted; what was judged up to now is saved", file=sys.stderr)
        status = INTERRUPTED
    session.close()
    judging = session.game.judging
    if judging["message"]:
        print(f"teresa explore: {judging['message']}", file=sys.stderr)
    if html is not None:
        _write(html, page(session))
    if pgn is not None:
        _write(pgn, annotated_text(session.game).encode())
    return status


def _write(path: Path, data: bytes) -> None:
    write_whole(path, data)
    print(f"{path}: {len(data) / 1000:,.0f} kB")


def _wait_for_judge(session: GamePage) -> None:
    for state, name in (("", "judging"), (DEEP, "judging where the game turns")):
        judging = session.game.judging
        with ProgressDisplay(name, judging["of"]) as progress:
            while session.judge.is_running and (not state) == (session.game.judging["state"] != DEEP):
                for _ in range(progress.done, session.game.judging["done"]):
                    progress.advance()
                time.sleep(SECONDS_BETWEEN_LOOKS)
