"""Play against a Maia network: which file, and how it plays."""

import argparse
from pathlib import Path

from engine.config.options import Options
from engine.search.clock import Limits
from engine.system.environment import check_extra

RATINGS = range(1100, 2000, 100)
ENDINGS = (".pb.gz", ".pb", ".onnx")
WHERE = "https://github.com/CSSLab/maia-chess has them: maia-1100.pb.gz to maia-1900.pb.gz"
ONE_VISIT = Limits(nodes=1)  # what people of the rating play most: Maia is trained for this, without a search


def maia_file(rating: int, given: str | None) -> Path:
    """The file of a rating: `given`, or in that folder, or here; `ValueError` if there is none."""
    if rating not in RATINGS:
        raise ValueError(f"--maia: the networks are for {RATINGS[0]}, {RATINGS[1]} … {RATINGS[-1]}, not {rating}")
    check_extra("lc0")
    path = Path(given or ".")
    if path.is_file():
        return path
    names = [f"maia-{rating}{ending}" for ending in ENDINGS]
    found = next((path / name for name in names if (path / name).is_file()), None)
    if found is None:
        raise ValueError(
            f"--maia: there is no {names[0]} in {path.resolve()}; --weights names a file or folder. {WHERE}"
        )
    return found


def keep_maia(arguments: argparse.Namespace, before: int | None) -> None:
    """Go on with the network that a game was played with, unless the arguments name another player."""
    names_file = arguments.weights is not None and not Path(arguments.weights).is_dir()
    if arguments.maia is None and arguments.elo is None and not names_file:
        arguments.maia = before


def set_maia(arguments: argparse.Namespace) -> None:
    """Let `--weights` name the file of `--maia`; `ValueError` says what is wrong with the arguments."""
    if arguments.maia is None:
        return
    if arguments.elo is not None:
        raise ValueError("--maia and --elo are two ratings")
    arguments.weights = str(maia_file(arguments.maia, arguments.weights))


def limits_of_opponent(arguments: argparse.Namespace, limits: Limits) -> Limits:
    """Maia makes one visit, unless others were asked for."""
    is_usual = arguments.maia is not None and arguments.seconds is None and arguments.visits is None
    return ONE_VISIT if is_usual else limits


def set_chance(options: Options, temperature: float | None) -> None:
    """Let chance decide between moves, as `--temperature` says; `ValueError` if it is out of range."""
    if temperature is not None:
        try:
            options.set("Temperature", str(round(1000 * temperature)))
        except ValueError:
            raise ValueError(f"--temperature must be from 0 to 10, not {temperature:g}") from None
