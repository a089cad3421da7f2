"""Perft: count the leaves of the tree of legal moves, to prove a move generator right."""
