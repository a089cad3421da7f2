"""How the network is made: labelled games, their reading, the fit, and the loop of them. Needs the extra `train`."""
