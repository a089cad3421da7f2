"""Monte Carlo tree search in plain Python, to be read first: `mcts`, then the games `gomoku` and `chess_state`."""
