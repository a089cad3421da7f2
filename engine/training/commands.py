"""`teresa train`: generate, fit, evaluate, export."""

import argparse
from collections.abc import Sequence
from pathlib import Path

DESCRIPTION = "Make the network: labelled games, the fit, its figures, the weights file."


def main(arguments: Sequence[str]) -> int:
    """Run a command of `teresa train`; -> exit status."""
    parser = argparse.ArgumentParser(prog="teresa train", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    add_fit(commands.add_parser("fit", help="train value and policy on files of labelled games"))
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except ValueError as error:
        print(f"teresa train {options.command}: {error}")
        return 2


def add_fit(parser: argparse.ArgumentParser) -> None:
    """The options of `fit`."""
    parser.set_defaults(run=run_fit)
    parser.add_argument("files", nargs="+", type=Path, help="viriformat files")
    parser.add_argument("--output", type=Path, required=True, help="folder for checkpoints, log and curves")
    parser.add_argument("--only", choices=("value", "policy"), help="train one of the two nets")
    parser.add_argument("--held-out", nargs="+", type=Path, default=[], help="files for the table at the end")
    parser.add_argument("--validation", type=float, default=0.01, help="share of the games set aside (default: 0.01)")
    parser.add_argument("--value-hidden", type=int, default=512)
    parser.add_argument("--policy-hidden", type=int, default=256)
    parser.add_argument("--value-passes", type=int, default=4)
    parser.add_argument("--policy-passes", type=int, default=4)
    parser.add_argument("--final-passes", type=int, default=1, help="value: over games with sound labels at the end")
    parser.add_argument("--value-batch", type=int, default=8192)
    parser.add_argument("--policy-batch", type=int, default=2048)
    parser.add_argument("--value-rate", type=float, default=2e-3)
    parser.add_argument("--policy-rate", type=float, default=1.5e-3)
    parser.add_argument("--value-decay", type=float, default=0.1)
    parser.add_argument("--policy-decay", type=float, default=0.05)
    parser.add_argument("--label-scale", type=float, default=1.2, help="for scores of value-only files (default: 1.2)")
    parser.add_argument("--seed", type=int, default=1)


def run_fit(options: argparse.Namespace) -> int:
    """Train, with a progress display."""
    from engine.training.fit import NETS, fit
    from engine.training.games import open_games
    from engine.training.settings import FitSettings, NetSettings, name_with_size

    names = tuple(name_with_size(path, open_games([path]).positions) for path in options.files)
    value = NetSettings(
        options.value_hidden, options.value_batch, options.value_rate, options.value_decay, options.value_passes, options.final_passes
    )
    policy = NetSettings(
        options.policy_hidden, options.policy_batch, options.policy_rate, options.policy_decay, options.policy_passes, 0
    )
    settings = FitSettings(names, value, policy, options.label_scale, options.validation, options.seed)
    nets = (options.only,) if options.only else NETS
    fit(options.files, options.output, settings, nets, lambda text: print(text, flush=True), lambda *_: None)
    return 0
