"""Teresa, a UCI chess engine whose search is Monte Carlo tree search."""
