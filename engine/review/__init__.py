"""Games judged move by move: `judge` searches, `kept` keeps, `numbers` counts, `reviewed_game` writes into the PGN."""

REVIEW_SCHEMA = "teresa-review/2"
