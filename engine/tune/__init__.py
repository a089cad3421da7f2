"""Constants of the search, found by games.

plan.py          which constants, in which ranges, by which games: a TOML file
trials.py        pairs of games between two settings as units of work
model.py         Elo as slope and curvature in each constant, fitted to the results of pairs
spsa.py          simultaneous perturbation: steps towards better settings, for many constants
tuning.py        plays the trials of a plan, and proposes a setting
tune_outcome.py  what a tuning shows, as text and data
picture.py       the curves of the constants, as SVG
"""
