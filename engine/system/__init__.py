"""The machine: files, processes, processors, installed packages."""
