"""Games of files, read by python-chess."""

import chess.pgn


def read_games(path, encoding="utf-8"):
    games = []
    with path.open(encoding=encoding) as file:
        while (game := chess.pgn.read_game(file)) is not None:
            games.append(game)
    return games
