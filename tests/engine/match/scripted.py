"""Players that do what a test says."""

from engine.match.player import Choice, Forfeit


class ScriptedPlayer:
    """Plays given moves with given scores and times; without moves the first legal one."""

    def __init__(self, moves=(), scores=(), seconds=()):
        self.moves, self.scores, self.seconds = list(moves), list(scores), list(seconds)
        self.starts, self.watched, self.clocks, self.new_moves, self.turn = [], [], [], [], 0

    def start_game(self, position, seed):
        self.starts.append((position.fen(), seed))
        self.turn, self.watched, self.clocks, self.new_moves = 0, [], [], []

    def choose(self, position, new_moves, clocks):
        self.clocks.append(dict(clocks))
        self.new_moves.append(len(new_moves))
        turn, self.turn = self.turn, self.turn + 1
        move = self.moves[turn] if turn < len(self.moves) else position.legal_moves[0]
        if move.startswith("!"):
            raise Forfeit(move[1:])
        return Choice(move, _at(self.scores, turn), _at(self.seconds, turn) or 0.0)

    def watch(self, move):
        self.watched.append(move)

    def close(self):
        pass


def _at(values, index):
    return values[min(index, len(values) - 1)] if values else None
