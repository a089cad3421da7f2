"""`teresa play`: a game in the terminal. `command` reads the arguments, `loop` what the user types."""
