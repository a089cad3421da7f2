"""What surrounds the program: its version, optional packages, the command line that starts it again."""

import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = {"explore": ("starlette", "uvicorn"), "lc0": ("onnxruntime", "onnx"), "train": ("matplotlib",)}
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


def version() -> str:
    """The installed version; a folder of sources that is not installed has none."""
    from importlib import metadata  # takes a while

    try:
        return metadata.version("teresa-chess")
    except metadata.PackageNotFoundError:
        return "(not installed)"


# Optional packages


def how_to_install(package: str | None) -> str | None:
    """How to install a missing package; None if it belongs to no extra."""
    name = (package or "").partition(".")[0]
    for extra, packages in PACKAGES.items():
        if name in packages:
            return f"{name} is missing: pip install '.[{extra}]' in the folder of Teresa"
    return None


def is_installed(package: str) -> bool:
    """Is an optional package there? Nothing is imported."""
    return find_spec(package) is not None


def has_extra(extra: str) -> bool:
    """Are all packages of an extra installed? Nothing is imported."""
    return all(map(is_installed, PACKAGES[extra]))


def print_to_stderr(text: str) -> None:
    """Print a line, for scripts and notebooks too; a program without a console has no standard error."""
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")


def check_extra(extra: str) -> None:
    """`ValueError` if a package of an extra is missing; nothing is imported."""
    for name in PACKAGES[extra]:
        if not is_installed(name):
            raise ValueError(how_to_install(name))


def command_line(*argv: str) -> list[str]:
    """A command of this package, whatever files the working folder holds."""
    return [sys.executable, "-P", "-c", PROGRAM, str(Path(__file__).resolve().parents[2]), *argv]
