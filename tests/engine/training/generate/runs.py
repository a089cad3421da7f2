"""`generate` with workers that a test chooses."""

from engine.training.generate.generation import generate
from perft.runner.runner import Runner


def generate_by(pool, plan, output, advance=lambda _: None, verify=0.0):
    """Make the games of a plan, and end the workers."""
    try:
        generate(plan, output, lambda journal: Runner(pool, journal, verify=verify), advance)
    finally:
        pool.close()
