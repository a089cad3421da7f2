"""The options of the engine in one table, and what the search makes of them."""
