"""Games between two players, and what their results mean.

statistics.py     scores of pairs of games, Elo with its interval
sprt.py           the sequential test of two hypotheses about the difference in Elo
openings.py       the starts of games, from EPD or PGN files or at random
player.py         what a player is
player_files.py   its files, the same on all machines
roster.py         players from texts
own_player.py     this engine, in the process
uci_player.py     any UCI engine
open_players.py   opens players, and checks that they can be opened
adjudication.py   ends games before the rules do
game.py           one game: moves, clocks
game_text.py      a game as PGN
pairs.py          pairs of games as units of work
play.py           plays the units of a plan, until a test is decided
replay.py         checks the games that workers send
forfeits.py       games lost otherwise than by play, and machines that are left out because of them
summary.py        the result, as text and data
"""
