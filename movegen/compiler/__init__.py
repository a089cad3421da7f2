"""How kernels are compiled and kept: the one place that configures numba."""
