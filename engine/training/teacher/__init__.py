"""A teacher in the process: a net of Stockfish, evaluated by kernels at the leaves of this engine's own search."""
