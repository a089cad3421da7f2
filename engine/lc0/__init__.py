"""Nets of Leela Chess Zero and Maia: their files, their planes, their moves, evaluated by onnxruntime."""
