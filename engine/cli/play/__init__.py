"""What Teresa shows in a terminal; the numbers come from `engine.report`."""
