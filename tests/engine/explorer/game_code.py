"""Runs the scripts of game_code.js on a saved page of a game: nothing else runs."""

from pathlib import Path

CODE = Path(__file__).with_name("game_code.js").read_text(encoding="utf-8").partition("\n")[2].strip()
SMALL = """[White "A"]\n[Black "B {x}"]\n[Result "1-0"]

{Before.} 1. e4 e5 $1 {good} (1... c5 {Sicilian} 2. Nf3 (2. c3 d5) 2... d6) 2. Nf3 ({named} 2. f4 exf4) Nc6 3. Bb5 1-0
"""


def run(page, name, given=None):
    """What one of the scripts of game_code.js returns."""
    return page.evaluate(f"(given) => {CODE}.{name}(given)", given)


def node_called(data, label):
    """The id of a move of the game, such as 13. g3: by SAN and ply."""
    number, san = label.split()
    ply = 2 * int(number.rstrip(".")) - (0 if number.endswith("...") else 1)
    return next(node["id"] for node in data["nodes"] if node["san"] == san and node["ply"] == ply)
