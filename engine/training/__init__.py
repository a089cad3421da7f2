"""How the network is made: labelled games, their reading, and the fit. Needs the extra `train`."""
