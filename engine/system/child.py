"""The command line that starts Teresa in another process."""

import sys
from pathlib import Path

# The working folder is left out of the path (-P): it may hold another `engine.py`. The folder of this package
# is added if it is not on the path: the package need not be installed.
PROGRAM = """\
import sys
home = sys.argv.pop(1)
if home not in sys.path:
    sys.path.insert(0, home)
from engine.__main__ import main
sys.exit(main())
"""


def command_line(*argv: str) -> list[str]:
    """A command of this package, whatever files the working folder holds."""
    return [sys.executable, "-P", "-c", PROGRAM, str(Path(__file__).resolve().parents[2]), *argv]
