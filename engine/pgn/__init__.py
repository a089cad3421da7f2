"""Games and positions in files, and their way to python-chess."""
