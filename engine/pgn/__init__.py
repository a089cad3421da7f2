"""Games and positions in files, in reading order: `encoding`, `headers`, `movetext`, `game_file`, `positions`.

Then `game_tree` (a game with variations, to change) and `annotated` (its text), `index` (thousands of games by number)
and `save` (a game in its place in a file), `setup` (what is wrong with a position).
"""
