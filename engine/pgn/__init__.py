"""Games and positions in files, in reading order: `encoding`, `headers`, `movetext`, `game_file`, `positions`.

`convert` is the way to python-chess and back.
"""
