"""How kernels are compiled and cached: the only code that configures numba. It knows nothing of chess."""
