"""An analysis in a notebook: a board with arrows and a table of moves, live where the notebook can."""
