"""One search, from limits to a best move. It writes no text and knows no UCI names."""
