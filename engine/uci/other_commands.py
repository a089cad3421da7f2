"""Commands that UCI does not have: look at the position and the search, ask why, keep a search in a file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from engine.config.options import OPTIONS, Options
from engine.search.resources import Resources
from engine.uci.background import Background, Say, Work
from engine.uci.parse import Command, read_number, read_question

if TYPE_CHECKING:
    from engine.config.option import Option
    from engine.explain.explain import Explanation
    from engine.network.weights import Network
    from engine.search.searcher import Searcher
    from engine.uci.game import Game
    from movegen import Position

STANDARD = (
    "uci, isready, debug on|off, setoption name N value V, ucinewgame, position startpos|fen F [moves ...],",
    "go [limits], stop, ponderhit, quit",
)
LIMITS = "infinite ponder wtime btime winc binc movestogo movetime nodes depth mate perft searchmoves"
FORCE = "--force "
DEEPEST_PERFT = 99


class Parts(Protocol):
    """What these commands use of a session."""

    say: Say
    options: Options
    resources: Resources
    background: Background
    game: "Game | None"

    @property
    def searcher(self) -> "Searcher":
        """The searcher, with its tree and its position."""


# The position


def show_board(session: Parts, _command: Command) -> None:
    """Print the position."""
    from engine.uci.format import board_lines

    for line in board_lines(session.searcher.position):
        session.say(line)


def evaluate(session: Parts, _command: Command) -> None:
    """Print what the evaluator in use says of the position."""
    options, network = session.options, session.resources.network
    session.background.start_job(evaluation(session.searcher.position, options.evaluator, network, options.seed))


def evaluation(position: "Position", evaluator: str, network: "Network", seed: int) -> Work:
    """The work of `eval`."""

    def work(say: Say, _should_stop: Callable[[], bool]) -> None:
        from engine.report.static_eval import evaluate_by_network, evaluate_by_playouts
        from engine.uci.format import network_lines, playout_lines

        if evaluator == "Network":
            lines = network_lines(evaluate_by_network(position, network), position.turn)
        else:
            lines = playout_lines(evaluate_by_playouts(position, network, seed), position.turn)
        for line in lines:
            say(f"info string {line}")

    return work


def count_leaves(position: "Position", depth: int, threads: int) -> Work:
    """The work of `go perft`, which prints what other engines print."""

    def work(say: Say, should_stop: Callable[[], bool]) -> None:
        from perft.counter import Counter, Interrupted

        counter, total = Counter(threads, should_stop=should_stop), 0
        try:
            for move in sorted(position.legal_moves):
                leaves = counter.perft(position.play(move), max(1, min(depth, DEEPEST_PERFT)) - 1)
                total += leaves
                say(f"{move}: {leaves}")
        except Interrupted:
            say("info string perft: stopped")
            return
        say(f"\nNodes searched: {total}")

    return work


# The search


def show_moves(session: Parts, _command: Command) -> None:
    """Print what the search found for each move."""
    move_table(session.searcher, session.say)


def move_table(searcher: "Searcher", say: Say) -> None:
    """Print a line for each move of the root."""
    from engine.report.node import LONG
    from engine.uci.format import move_line

    rows = searcher.report().rows(shape=LONG)
    if not rows:
        raise ValueError("nothing was searched yet")
    for row in rows:
        say(f"info string {move_line(row)}")


def why(session: Parts, command: Command) -> None:
    """Explain a move; one with few visits first gets a separate search."""
    from engine.explain.explain import NotLegal, explain
    from engine.explain.text import WHY_NOT_HINT, lines_of
    from engine.report.snapshot import NotInMemoryError

    question = read_question(command.arguments)
    try:
        found = explain(session.searcher.report(), question.move)
    except NotInMemoryError as error:  # recycled while it was read
        raise ValueError(str(error)) from None
    if not isinstance(found, NotLegal) and (question.visits is not None or found.needs_search):
        session.background.start_extra(closer_look(found, question.visits))
        return
    for line in lines_of(found, WHY_NOT_HINT):
        session.say(f"info string {line}")


def why_not(session: Parts, command: Command) -> None:
    """Explain why not a move."""
    why(session, command._replace(arguments=["not", *command.arguments]))


def closer_look(found: "Explanation", visits: int | None) -> Work:
    """The work of a separate search for a move, after which it is explained."""

    def work(say: Say, should_stop: Callable[[], bool]) -> None:
        from engine.explain.explain import settle
        from engine.explain.text import WHY_NOT_HINT, lines_of
        from engine.report.snapshot import NotInMemoryError

        try:
            lines = lines_of(settle(found, visits, should_stop), WHY_NOT_HINT)
        except NotInMemoryError as error:  # the main search has moved on
            lines = [str(error)]
        for line in lines:
            say(f"info string {line}")

    return work


def bench(session: Parts, command: Command) -> None:
    """Search fixed positions; a number sets the visits of each."""
    visits = read_number(command.arguments[0]) if command.arguments else None

    def work(say: Say, should_stop: Callable[[], bool]) -> None:
        from engine.bench import VISITS, search_all

        for line in search_all(max(1, visits or VISITS), should_stop):
            say(line)

    session.background.start_job(work)


# Saved trees


def save_tree(session: Parts, command: Command) -> None:
    """Write the search to a file."""
    from engine.report.tree_file import GameRecord, save
    from movegen.fen import START_FEN

    game, searcher = session.game, session.searcher
    name = " ".join(command.arguments)
    force = name.startswith(FORCE)
    name = name.removeprefix(FORCE).lstrip()
    if not name or game is None or not searcher.report().rows():
        raise ValueError("nothing was searched yet" if name else "the name of a file must follow")
    record = GameRecord(game.fen or START_FEN, game.texts, game.chess960)
    moves = save(Path(name), record, searcher.prepare(), searcher.history, session.options, force=force)
    session.say(f"info string {moves:,} moves saved in {Path(name)}")


def load_tree(session: Parts, command: Command) -> None:
    """Take a search from a file, with its position."""
    from engine.mcts.tree import ROOT
    from engine.report.tree_file import load
    from engine.uci.game import Game

    if not command.arguments:
        raise ValueError("the name of a file must follow")
    tree = session.searcher.prepare()
    found = load(Path(" ".join(command.arguments)), room=tree.visits.size)
    session.searcher.load(found.position, found.history, found.fill)
    session.game = Game(found.game.start, found.game.chess960, found.game.moves, found.position)
    session.say(f"info string {int(tree.visits[int(ROOT)]):,} visits of {found.position.fen()}")
    if found.lost_proofs:
        session.say(f"info string {found.lost_proofs:,} proofs are left out: the moves they rest on were recycled")


# Help


def show_help(session: Parts, command: Command) -> None:
    """List the commands, or after `options` the options."""
    if command.arguments not in ([], ["options"]):
        raise ValueError("only 'options' may follow")
    for line in option_lines() if command.arguments else help_lines():
        session.say(f"info string {line}")


def help_lines() -> list[str]:
    """One line for each command."""
    return [*STANDARD, *(f"{name:8} {extra.meaning}" for name, extra in EXTRAS.items()), f"{'go':8} {LIMITS}"]


def option_lines() -> list[str]:
    """Name, meaning, default and range of each option."""
    return [f"{option.name}: {option.meaning}{_values_text(option)}" for option in OPTIONS]


def _values_text(option: "Option") -> str:
    if option.kind == "button":
        return " (button)"
    bounds = f", {option.lowest} to {option.highest}" if option.kind == "spin" else ""
    choices = f", one of {' '.join(option.choices)}" if option.choices else ""
    return f" (default {option.default_text}{bounds}{choices})"


class Extra(NamedTuple):
    """A command and its line of help."""

    run: Callable[[Parts, Command], None]
    meaning: str


EXTRAS = {
    "d": Extra(show_board, "show the position"),
    "eval": Extra(evaluate, "evaluate the position without a search"),
    "moves": Extra(show_moves, "show what the search found for each move"),
    "why": Extra(why, "[not] [MOVE [VISITS]]: explain the best move, this move, or why not this move"),
    "whynot": Extra(why_not, "MOVE [VISITS]: the same as 'why not'"),
    "savetree": Extra(save_tree, "[--force] FILE: write the search to a file (.npz); --force: over any file"),
    "loadtree": Extra(load_tree, "FILE: continue a saved search, with its position"),
    "bench": Extra(bench, "[VISITS]: search fixed positions, print signature and speed"),
    "help": Extra(show_help, "[options]: list the commands, or the options with default, range and meaning"),
}
