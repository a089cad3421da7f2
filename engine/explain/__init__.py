"""Why a move, and why not another: in words that say only what the tree proves or counts."""
