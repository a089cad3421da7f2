"""Makes `engine/review/openings.tsv` from the files a.tsv to e.tsv of github.com/lichess-org/chess-openings (CC0).

python -m tests.engine.review.openings_table FOLDER
"""

import argparse
import csv
import io
import re
from collections import defaultdict
from itertools import pairwise, takewhile
from pathlib import Path

import chess

from engine.review.openings import TABLE, position_digest

HEAD = """\
# Openings by position: letters in common with the entry above, the rest of ECO code and name, digests of positions.
# Source: github.com/lichess-org/chess-openings, CC0 1.0 (public domain). Made by tests/engine/review/openings_table.py.
"""


def epd_after(moves: str) -> str:
    """The position after moves such as `1. e4 e5`, as four fields."""
    board = chess.Board()
    for san in re.sub(r"\d+\.+", " ", moves).split():
        board.push_san(san)
    return board.epd()


def table_of(texts: list[str]) -> str:
    """The table from the contents of the files."""
    digests = defaultdict(list)
    for text in texts:
        for row in csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE):
            digests[row["eco"], row["name"]].append(position_digest(epd_after(row["pgn"])))
    lines = []
    for above, key in pairwise([(), *sorted(digests)]):
        entry = " ".join(key)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(" ".join(above), entry, strict=False)))
        lines.append(f"{shared}\t{entry[shared:]}\t{' '.join(digests[key])}")
    return HEAD + "\n".join(lines) + "\n"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    paths = sorted(parser.parse_args().folder.glob("[a-e].tsv"))
    TABLE.write_text(table_of([path.read_text(encoding="utf-8") for path in paths]), encoding="utf-8")


if __name__ == "__main__":
    main()
