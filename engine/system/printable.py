"""Text of others, made safe to show."""


def printable(text: str) -> str:
    """A text from a file or a user without characters that could control the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
