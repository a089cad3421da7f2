"""Commands that UCI does not have: look at the position and the search, ask why, keep a search in a file.

Imported when the first of them runs: it imports much that games do not need.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from engine.bench import VISITS, search_all
from engine.config.options import Options
from engine.config.search_params import search_params
from engine.explain.explain import Explanation, NotLegal, explain, settle
from engine.explain.text import WHY_NOT_HINT, lines_of
from engine.mcts.tree import ROOT
from engine.report.move_stats import centipawns
from engine.report.snapshot import NotInMemoryError
from engine.report.static_eval import NetworkEval, PlayoutEval, evaluate_by_network, evaluate_by_playouts
from engine.report.tree_file import GameRecord, load, save
from engine.search.resources import Resources
from engine.uci.background import Say, Work
from engine.uci.parse import Command, read_number, read_question
from engine.uci.search_commands import GuiGame, SearchCommands
from movegen import Position
from movegen.fen import SQUARE_NAMES, read_fen

FORCE = "--force "

# The position


def show_board(session: SearchCommands, _command: Command) -> None:
    """Print the position."""
    for line in board_lines(session.searcher.position):
        session.say(line)


def show_evaluation(session: SearchCommands, _command: Command) -> None:
    """Print what the evaluator in use says of the position."""
    session.background.start_job(
        evaluation_work(session.searcher.position, session.resources, replace(session.options))
    )


def evaluation_work(position: Position, resources: Resources, options: Options) -> Work:
    """The work of `eval`, with the options as they are now."""
    network, judge = resources.network, resources.queue or resources.network

    def work(say: Say, _should_stop: Callable[[], bool]) -> None:
        if options.evaluator == "Network":
            lines = network_lines(evaluate_by_network(position, judge, options.quiescence), position.turn)
        else:
            lines = playout_lines(evaluate_by_playouts(position, network, options.seed), position.turn)
        for line in lines:
            say(f"info string {line}")

    return work


# The search


def show_moves(session: SearchCommands, _command: Command) -> None:
    """Print what the search found for each move."""
    session.show_moves()


def why(session: SearchCommands, command: Command) -> None:
    """Explain a move; one with few visits first gets a separate search."""
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


def why_not(session: SearchCommands, command: Command) -> None:
    """Explain why not a move."""
    why(session, command._replace(arguments=["not", *command.arguments]))


def closer_look(found: Explanation, visits: int | None) -> Work:
    """The work of a separate search for a move, after which it is explained."""

    def work(say: Say, should_stop: Callable[[], bool]) -> None:

        try:
            lines = lines_of(settle(found, visits, should_stop), WHY_NOT_HINT)
        except NotInMemoryError as error:  # the main search has moved on
            lines = [str(error)]
        for line in lines:
            say(f"info string {line}")

    return work


def start_bench(session: SearchCommands, command: Command) -> None:
    """Search fixed positions; a number sets the visits of each."""
    visits = read_number(command.arguments[0]) if command.arguments else None

    def work(say: Say, should_stop: Callable[[], bool]) -> None:

        for line in search_all(max(1, visits or VISITS), should_stop):
            say(line)

    session.background.start_job(work)


# Saved trees


def save_tree(session: SearchCommands, command: Command) -> None:
    """Write the search to a file."""
    game, searcher = session.game, session.searcher
    name = " ".join(command.arguments)
    force = name.startswith(FORCE)
    name = name.removeprefix(FORCE).lstrip()
    if not name or game is None or not searcher.report().rows():
        raise ValueError("nothing was searched yet" if name else "the name of a file must follow")
    record = GameRecord(game.fen, game.texts, game.chess960)
    moves = save(Path(name), record, searcher.prepare(), searcher.history, session.options, force=force)
    session.say(f"info string {moves:,} moves saved in {Path(name)}")


def load_tree(session: SearchCommands, command: Command) -> None:
    """Take a search from a file, with its position."""
    if not command.arguments:
        raise ValueError("the name of a file must follow")
    tree = session.searcher.prepare()
    found = load(Path(" ".join(command.arguments)), room=tree.visits.size)
    session.searcher.load(found.position, found.history, found.fill)
    session.game = GuiGame(found.game.start, found.game.chess960, found.game.moves, found.position)
    session.say(f"info string {int(tree.visits[int(ROOT)]):,} visits of {found.position.fen()}")
    params = session.resources.adapted(search_params(session.options), session.options)
    if found.evaluation != session.resources.evaluation_of(params):
        session.say(
            "info string it was searched with other values or priors "
            "(Evaluator, a network of others, Quiescence, temperatures, rating)"
        )
    if found.options.formula != session.options.formula:
        session.say(f"info string it was searched with Formula {found.options.formula}, which selects other moves")
    if found.lost_proofs:
        session.say(f"info string {found.lost_proofs:,} proofs are left out: the moves they rest on were recycled")


# Lines


def playout_lines(found: PlayoutEval, player: str) -> list[str]:
    """The results of random games."""
    return [
        f"{found.games} random games: {found.wins} won, {found.draws} drawn, {found.losses} lost by {player}",
        f"score {found.score:.3f} ± {found.error:.3f} for {player}, {centipawns(found.score)} centipawns",
    ]


def network_lines(found: NetworkEval, player: str) -> list[str]:
    """The network's view: value, what each piece adds, priors."""
    score, shares = found.outcome.score, "win {:.1%} draw {:.1%} loss {:.1%}".format(*found.outcome)
    return [
        f"{player} to move: score {score:.3f}, {centipawns(score)} centipawns, {shares}",
        *(f"{piece} on {square}: {difference:+.3f} score" for square, piece, difference in found.pieces),
        *(f"{move} prior {prior:.1%}" for move, prior in found.priors),
    ]


def board_lines(position: Position) -> list[str]:
    """The board with its coordinates, the position as FEN and key, the player to move and what gives check."""
    ranks = [f"{8 - row}  {pieces}" for row, pieces in enumerate(str(position).split("\n"))]
    facts = [f"Fen: {position.fen()}", f"Key: {position.key:016X}", f"To move: {position.turn}"]
    return [*ranks, "", "   a b c d e f g h", "", *facts, f"Checkers: {' '.join(checking_squares(position)) or '-'}"]


def checking_squares(position: Position) -> list[str]:
    """The squares of the pieces that give check to the player to move."""
    is_white = position.turn == "white"
    king = read_fen(position.fen(), position.chess960).king_of(is_white)
    return position.attackers(SQUARE_NAMES[king], "black" if is_white else "white")


HANDLERS: dict[str, Callable[[SearchCommands, Command], None]] = {
    "d": show_board,
    "eval": show_evaluation,
    "moves": show_moves,
    "why": why,
    "whynot": why_not,
    "savetree": save_tree,
    "loadtree": load_tree,
    "bench": start_bench,
}
