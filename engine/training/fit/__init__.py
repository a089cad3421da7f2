"""From labelled games to a weights file."""
