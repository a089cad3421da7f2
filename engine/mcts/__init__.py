"""The search as kernels, in reading order: `tree`, `proof`, `selection`, `evaluate`, `simulate`.

In a folder of its own because compiled kernels are kept by a hash of the folder's sources.
"""
