"""`teresa gomoku`: play Gomoku against the textbook search in the terminal."""

import argparse
import random
from collections.abc import Sequence

from engine.textbook.gomoku import Action, Gomoku
from engine.textbook.mcts import Search
from perft.exits import DONE

INPUT_HELP = "a square such as b3 to play, 'undo', 'help' or 'quit'"


def main(argv: Sequence[str]) -> int:
    """Play a game; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa gomoku", description="Play Gomoku against Monte Carlo tree search.")
    parser.add_argument("--size", type=int, default=7, help="squares on a side, 3 to 19 (default: %(default)s)")
    parser.add_argument("--win", type=int, default=4, help="how many in a row win (default: %(default)s)")
    parser.add_argument(
        *("--visits", "--simulations"),  # an older name
        type=int,
        default=800,
        metavar="N",
        help="of the engine for a move (default: %(default)s)",
    )
    parser.add_argument("--second", action="store_true", help="let the engine begin")
    parser.add_argument("--seed", type=int, help="make the engine's choices repeatable")
    arguments = parser.parse_args(argv)
    if not 3 <= arguments.size <= 19 or not 3 <= arguments.win <= arguments.size or arguments.visits < 1:
        parser.error("--size goes from 3 to 19, --win from 3 to the size, --visits from 1")
    game = [Gomoku.blank(arguments.size, arguments.win)]
    try:
        play(
            game,
            human_is_max=not arguments.second,
            simulations=arguments.visits,
            rng=random.Random(arguments.seed),
        )
    except EOFError:
        print()
    return DONE


def play(game: list[Gomoku], human_is_max: bool, simulations: int, rng: random.Random) -> None:
    """Take turns until the game is over; `game` has all positions, for 'undo'."""
    print(f"{game[-1].win_size} in a row win. You play {'X' if human_is_max else 'O'}. Type {INPUT_HELP}.")
    while not game[-1].is_game_over:
        state = game[-1]
        if state.is_max_turn != human_is_max:
            action = Search(state, rng).run(simulations).best_action()
            print(f"Teresa plays {name(action)}")
            game.append(state.perform(action))
            continue
        print(gomoku_board(state))
        if not human_turn(game, input("> ").strip().lower()):
            return
    print(gomoku_board(game[-1]))
    score = game[-1].current_score
    print("A draw." if score == 0 else "You win." if (score > 0) == human_is_max else "Teresa wins.")


def human_turn(game: list[Gomoku], text: str) -> bool:
    """Do what the user typed; -> does the game go on?"""
    if text in ("quit", "exit", "q"):
        return False
    if text in ("help", "?"):
        print(f"Type {INPUT_HELP}.")
    elif text == "undo":
        if len(game) > 2:
            del game[-2:]
        else:
            print("There is nothing to take back.")
    else:
        try:
            game.append(game[-1].perform(square(text)))
        except ValueError as error:
            print(f"Not possible: {error}. Type {INPUT_HELP}.")
    return True


def square(text: str) -> Action:
    """The row and column of a square such as b3."""
    column, row = text[:1], text[1:]
    if not ("a" <= column <= "s" and row.isascii() and row.isdigit() and len(row) <= 2):
        raise ValueError(f"{text[:20]!a} is not a square")
    return int(row) - 1, ord(column) - ord("a")


def name(action: Action) -> str:
    """The name of a square: b3 is column b, row 3."""
    return f"{chr(ord('a') + action[1])}{action[0] + 1}"


def gomoku_board(state: Gomoku) -> str:
    """The board with its coordinates."""
    header = "   " + " ".join(chr(ord("a") + column) for column in range(state.size))
    rows = (f"{number:2} {row}" for number, row in enumerate(str(state).splitlines(), 1))
    return "\n".join((header, *rows))
