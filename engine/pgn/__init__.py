"""Games and positions in files, in reading order: `encoding`, `headers`, `movetext`, `game_file`, `positions`."""
