"""Why a move, and why not another: stating only what the tree proves or counts."""
