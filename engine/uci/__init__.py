"""The UCI protocol: bytes in, lines out."""
