"""Games judged move by move: `judge` searches, `reviewed_game` writes into the PGN, `chart` draws the score."""

REVIEW_SCHEMA = "teresa-review/1"
