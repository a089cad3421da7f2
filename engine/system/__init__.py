"""Files, processes and packages of the machine."""
