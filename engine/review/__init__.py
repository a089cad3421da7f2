"""Games judged move by move: `judge` searches, `annotate` writes into the PGN, `chart` draws the score."""

SCHEMA = "teresa-review/1"
