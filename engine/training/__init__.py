"""How the network is made: labelled games, their reading, the fit, and the loop of them.

Only the curves of a fit need the extra `train`.
"""
