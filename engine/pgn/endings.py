"""How a game ends, in words."""

from movegen import Ending

ENDINGS = {
    Ending.CHECKMATE: "checkmate",
    Ending.STALEMATE: "a draw: stalemate",
    Ending.INSUFFICIENT_MATERIAL: "a draw: neither side has enough material to mate",
    Ending.SEVENTY_FIVE_MOVES: "a draw by the 75-move rule",
    Ending.FIVEFOLD_REPETITION: "a draw: this position was on the board five times",
    Ending.FIFTY_MOVES: "a draw by the 50-move rule",
    Ending.THREEFOLD_REPETITION: "a draw: this position was on the board three times",
}
