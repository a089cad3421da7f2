"""The command line: one module for each command; arguments in, text out."""
