"""Teresa in a process beside this one."""

import sys
from pathlib import Path

# The working folder is left out of the path (-P): it may hold an `engine.py` of somebody else. The folder of the
# package that runs here is added where it is not on the path: it need not be installed.
PROGRAM = """\
import sys
home = sys.argv.pop(1)
if home not in sys.path:
    sys.path.insert(0, home)
from engine.__main__ import main
sys.exit(main())
"""


def command_line(*words: str) -> list[str]:
    """Run a command of this very package, whatever the working folder holds."""
    return [sys.executable, "-P", "-c", PROGRAM, str(Path(__file__).resolve().parents[2]), *words]
