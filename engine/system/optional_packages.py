"""Packages that only some commands need: the extras of pyproject.toml."""

from importlib.util import find_spec

PACKAGES = {"explore": ("starlette", "uvicorn"), "train": ("torch", "matplotlib")}


def how_to_install(package: str | None) -> str | None:
    """How to install a missing package; None if it belongs to no extra."""
    name = (package or "").partition(".")[0]
    for extra, packages in PACKAGES.items():
        if name in packages:
            return f"{name} is missing: pip install '.[{extra}]' in the folder of Teresa"
    return None


def check_extra(extra: str) -> None:
    """`ValueError` if a package of an extra is missing; nothing is imported."""
    for name in PACKAGES[extra]:
        if find_spec(name) is None:
            raise ValueError(how_to_install(name))
