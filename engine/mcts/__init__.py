"""The search as kernels, in reading order: `tree`, `allocate`, `proof`, `selection`, `evaluate`, `simulate`.

They have their own folder because compiled kernels are cached by a hash of the folder's sources.
"""
