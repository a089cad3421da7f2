"""The network: its features of a position, its weights, and their evaluation in integer arithmetic."""
