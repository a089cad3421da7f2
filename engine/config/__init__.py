"""The options of the engine in one table, and the parameters of the search that follow from them."""
