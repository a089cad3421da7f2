"""The search as kernels, in reading order: `tree`, `params`, `allocate`, `proof`, `transpositions`, `selection`,
`evaluate`, `simulate`, `fixed_visits`. Then `inspect`, which reads a tree, `reroot`, which changes one between
searches, and `check`, for trees from files.

They have their own folder because compiled kernels are cached by a hash of the folder's sources.
"""
