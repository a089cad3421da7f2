"""What a search knows, as plain data: one source for UCI, terminal, notebook and page. It only reads.

Start with `report`: its `Report` has a method for each part of the data. docs/search-report.md describes the schema.
"""

REPORT_SCHEMA = "teresa-search/1"
