"""Training positions: file formats, decoding, targets."""
