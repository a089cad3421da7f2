"""What a search knows, as plain data: one source for UCI, the terminal and whoever else shows it.

Read `source` first: its `Report` has a method for each part of the data. The schema is told in docs/search-report.md.
"""

SCHEMA = "teresa-search/1"
