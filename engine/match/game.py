"""One game between two players: moves, clocks, and when it is over."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.match.adjudication import Adjudication
from engine.match.player import Choice, Clock, Forfeit, MatchPlayer, TimeControl
from movegen import Position
from movegen.outcome import Ending

MARGIN_SECONDS = 0.05  # by which a clock may be overdrawn: what the match itself takes
MOVE_TIME_MARGIN = 0.25  # likewise by a player with a time for each move: nothing can be saved up
WHITE, BLACK = "white", "black"
OTHER = {WHITE: BLACK, BLACK: WHITE}
GAME_ENDINGS = {
    Ending.CHECKMATE: "checkmate",
    Ending.STALEMATE: "stalemate",
    Ending.INSUFFICIENT_MATERIAL: "insufficient material",
    Ending.SEVENTY_FIVE_MOVES: "75 moves",
    Ending.FIVEFOLD_REPETITION: "fivefold repetition",
    Ending.FIFTY_MOVES: "50 moves",
    Ending.THREEFOLD_REPETITION: "threefold repetition",
}


@dataclass
class MatchGame:
    """A game that is over."""

    start: Position
    moves: list[str] = field(default_factory=list)
    scores: list[int | None] = field(default_factory=list)  # centipawns for the player who moved
    seconds: list[float] = field(default_factory=list)
    points: float = 0.5  # of White
    reason: str = ""
    is_adjudicated: bool = False
    forfeit: str | None = None  # how the loser lost, if not by play

    @property
    def last_mover(self) -> str:
        """Who has made the last move."""
        return self.start.turn if len(self.moves) % 2 else OTHER[self.start.turn]

    def end(self, points: float, reason: str) -> bool:
        """Note how the game has ended; -> True."""
        self.points, self.reason = points, reason
        return True


def play_game(
    start: Position,
    players: Mapping[str, MatchPlayer],
    controls: Mapping[str, TimeControl],
    rules: Adjudication,
    seed: int,
) -> MatchGame:
    """Play a game from a position; `players` and `controls` by colour."""
    game, position, clocks = MatchGame(start), start, _Clocks(controls)
    unseen: dict[str, list[int]] = {WHITE: [], BLACK: []}
    for number, colour in enumerate((WHITE, BLACK)):
        players[colour].start_game(start, 2 * seed + number)
    while not _ends_by_rule(game, position) and not _ends_by_adjudication(game, rules):
        mover = position.turn
        try:
            choice = players[mover].choose(position, unseen[mover], clocks.shown)
            code = _code(position, choice)
            clocks.use(mover, choice.seconds)
        except Forfeit as forfeit:
            game.forfeit = str(forfeit)
            errors = f" ({forfeit.errors})" if forfeit.errors else ""
            game.end(float(mover == BLACK), f"{mover} loses: {forfeit}{errors}")
            break
        unseen[mover] = []
        game.moves.append(position.uci(code))
        game.scores.append(choice.centipawns)
        game.seconds.append(choice.seconds)
        for colour, player in players.items():
            unseen[colour].append(code)
            player.watch(game.moves[-1])
        position = position.play(code)
    return game


def _code(position: Position, choice: Choice) -> int:
    try:
        return position.code(choice.move)
    except ValueError:
        raise Forfeit("illegal move") from None


class _Clocks:
    """The time that both players have left."""

    def __init__(self, controls: Mapping[str, TimeControl]) -> None:
        self._controls = controls
        self.shown = {colour: Clock(control.clock or 0.0, control.increment) for colour, control in controls.items()}

    def use(self, colour: str, seconds: float) -> None:
        """A player took this long; `Forfeit` if that was too long."""
        control = self._controls[colour]
        if control.move_time is not None and seconds > control.move_time + MOVE_TIME_MARGIN:
            raise Forfeit("time")
        if control.clock is not None:
            left = self.shown[colour].left - seconds
            if left < -MARGIN_SECONDS:
                raise Forfeit("time")
            self.shown[colour] = Clock(max(0.0, left) + control.increment, control.increment)


def _ends_by_rule(game: MatchGame, position: Position) -> bool:
    ending = position.outcome(claim_draw=True)
    if ending is Ending.NONE:
        return False
    return game.end(position.score(claim_draw=True) or 0.0, GAME_ENDINGS[ending])


def _ends_by_adjudication(game: MatchGame, rules: Adjudication) -> bool:
    """Is the game ended by the scores that the players report, or by its length?"""
    plies = len(game.moves) + (game.start.turn == BLACK)
    game.is_adjudicated = True
    if len(game.moves) >= rules.most_plies:
        return game.end(0.5, "too long")
    if rules.has_resigned(game.scores):
        return game.end(float(game.last_mover == BLACK), f"{game.last_mover} resigns")
    if rules.is_level(game.scores, game.start.fullmove_number + plies // 2):
        return game.end(0.5, "draw by adjudication")
    game.is_adjudicated = False
    return False
