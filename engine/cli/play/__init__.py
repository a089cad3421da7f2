"""`teresa play`: a game in the terminal. `command` has the arguments, `start` makes the game, `game_loop` plays it."""

ANY_START = -1  # of --chess960: any of the 960 starts
