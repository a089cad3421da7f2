"""The arguments of `teresa train loop`. None of the settings has a default there: a loop that goes on has its own."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.cli.arguments import LEAST_VISITS_OF_LABEL, positive_number
from perft.runner.arguments import add_run_arguments

RANDOM = "random"
OFF = "off"
EXAMPLES = """
The same command goes on with a loop, after Ctrl-C, a power cut, or when it had come to its end; so does
`teresa train loop LOOP` alone. LOOP/report.html shows how far it is.

examples:
  teresa train loop LOOP --teacher stockfish                      # from the shipped net, for ever
  teresa train loop LOOP --teacher stockfish --hours 8 --clock 2+0.02
  teresa train loop LOOP --cluster tls://host:8786 --hours 1      # goes on there; all machines see LOOP at its path
  teresa train loop LOOP --teacher-net sf.nnue                    # the teacher's net labels the trees of the best net
  teresa train loop LOOP --start random --self-play               # without any teacher
  teresa train loop LOOP --games 4000 --change                    # from the next round on
"""

# From a net that knows much: small steps, and the mean with the net before.
DEFAULTS: dict[str, Any] = {
    "seed": 1, "teacher": "stockfish", "teacher_net": "", "nodes": 1000, "visits": 400,
    "least_visits": LEAST_VISITS_OF_LABEL, "games": 2000, "tree_games": 200, "of_trees": 20_000,
    "replay": 0.5, "mean": 0.5, "result_share": 0.1, "value_quiescence": True, "validation": 0.03,
    "value_hidden": None, "value_batch": 8192, "value_rate": 3e-4, "value_decay": 0.1, "value_passes": 2,
    "policy_hidden": None, "policy_batch": 4096, "policy_rate": 3e-4, "policy_decay": 0.05, "policy_passes": 2,
    "gate_visits": 400, "gate_games": 3000, "sprt": (0.0, 20.0),
    "clock": None, "clock_games": 1000, "clock_sprt": (-20.0, 10.0), "book": None,
}  # fmt: skip
# From random weights: small nets, large steps; only results say anything at first.
RANDOM_DEFAULTS: dict[str, Any] = {
    "visits": 60, "games": 600, "mean": 0.0, "result_share": 0.5, "value_hidden": 128, "policy_hidden": 64,
    "value_batch": 512, "policy_batch": 512, "value_rate": 2e-3, "policy_rate": 2e-3, "value_passes": 3,
    "policy_passes": 3, "gate_visits": 60, "gate_games": 400, "sprt": (0.0, 40.0),
}  # fmt: skip
# Of a label in the process, whatever the loop began with. About 700 labels a game; 1000 take less than half a second.
TEACHER_NET_DEFAULTS: dict[str, Any] = {"visits": 2000, "games": 10_000, "tree_games": 0}
# The settings of labels that depend on what these come from.
OF_LABELS = ("nodes", "visits", "least_visits", "games", "tree_games", "of_trees")
NET_OPTIONS = {
    "hidden": (int, "hidden units, a multiple of 32"),
    "batch": (int, "positions a step"),
    "rate": (float, "highest learning rate of a round"),
    "decay": (float, "weight decay"),
    "passes": (int, "passes over the games of a round and the replay"),
}


def add_loop(parser: argparse.ArgumentParser) -> None:
    """The arguments of `loop`."""
    parser.description = "Labels, a fit, a match with the best net, keep or drop: again and again."
    parser.epilog, parser.formatter_class = EXAMPLES, argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, metavar="LOOP", help="the folder that holds everything; created if new")
    _add_duration(parser)
    _add_labels(parser.add_argument_group("labels of a round"))
    _add_fit(parser.add_argument_group("the fit of a round"))
    _add_gates(parser.add_argument_group("gates: the net of a round is kept if it passes all"))
    add_run_arguments(parser, has_folder=False)


def _add_duration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=_count, metavar="N", help="end when N rounds are done in all; 0: only begin")
    parser.add_argument("--hours", type=positive_number(float), metavar="H", help="end after H hours by the clock")
    parser.add_argument("--processes", type=positive_number(int), metavar="N", help="workers (default: processors)")
    parser.add_argument(
        "--start", metavar="FILE", help="weights of the first net, or 'random' (default: the shipped net)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help=f"of the loop {default('seed')}")
    parser.add_argument("--change", action="store_true", help="use other settings from the next round on")
    parser.add_argument("--dry-run", action="store_true", help="print the settings and the next steps, do nothing")


def _add_labels(group: Any) -> None:
    teacher = group.add_mutually_exclusive_group()
    teacher.add_argument("--teacher", metavar="COMMAND", help=f"a UCI engine {default('teacher')}")
    teacher.add_argument(
        "--teacher-net",
        metavar="NET",
        help="a net of Stockfish 15 to 17.1 (`export_net`) at the leaves of searches with the best net's policy, "
        "whose nodes are labelled",
    )
    teacher.add_argument("--self-play", action="store_true", help="the best net plays against itself: no teacher")
    count = positive_number(int)
    group.add_argument("--nodes", type=count, metavar="N", help=f"of the teacher for a label {default('nodes')}")
    group.add_argument(
        "--visits", type=count, metavar="N", help=f"of a search: self-play, --teacher-net {default('visits')}"
    )
    group.add_argument(
        "--least-visits",
        type=count,
        metavar="N",
        help=f"--teacher-net: of a node that is labelled {default('least_visits')}",
    )
    group.add_argument(
        "--games",
        type=_count,
        metavar="N",
        help=f"games; --teacher-net: whose searches are labelled {default('games')}",
    )
    group.add_argument(
        "--tree-games",
        type=_count,
        metavar="N",
        help=f"quick games, of whose trees positions are labelled by --teacher {default('tree_games')}",
    )
    group.add_argument("--of-trees", type=count, metavar="VISITS", help=f"of these trees {default('of_trees')}")


def _add_fit(group: Any) -> None:
    texts = {
        "replay": "share of the positions that are of earlier rounds",
        "mean": "share of the present net in the mean of the weights",
        "result_share": "of the result in value targets of self-play",
        "validation": "share of the games set aside",
    }
    for name, text in texts.items():
        flag = f"--{name.replace('_', '-')}"
        group.add_argument(flag, type=float, metavar="SHARE", help=f"{text} {default(name)}")
    group.add_argument(
        "--value-quiescence",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="the value learns after winning captures (default: yes)",
    )
    for net in ("value", "policy"):
        for name, (kind, text) in NET_OPTIONS.items():
            shown = f"{text} {default(f'{net}_{name}')}"
            group.add_argument(f"--{net}-{name}", type=kind, metavar="N", help=shown)


def _add_gates(group: Any) -> None:
    count = positive_number(int)
    group.add_argument("--gate-visits", type=count, metavar="N", help=f"for each move {default('gate_visits')}")
    group.add_argument("--gate-games", type=count, metavar="N", help=f"at most {default('gate_games')}")
    group.add_argument(
        "--sprt", type=float, nargs=2, metavar="ELO", help=f"two Elos to decide between {default('sprt')}"
    )
    group.add_argument("--clock", type=_clock, metavar="S+I", help="a second gate, on the clock; 'off': none (default)")
    group.add_argument("--clock-games", type=count, metavar="N", help=f"at most {default('clock_games')}")
    group.add_argument("--clock-sprt", type=float, nargs=2, metavar="ELO", help=f"likewise {default('clock_sprt')}")
    group.add_argument("--book", metavar="FILE", help="openings (EPD or PGN); 'off': random moves (default)")


def default(name: str) -> str:
    """The default of a setting, for the help."""
    usual, from_random = DEFAULTS[name], RANDOM_DEFAULTS.get(name, DEFAULTS[name])
    parts = ["default " + ("that of the first net" if usual is None else _text(usual))]
    if usual != from_random:
        parts.append(f"from random weights {_text(from_random)}")
    if name in TEACHER_NET_DEFAULTS:
        parts.append(f"with --teacher-net {_text(TEACHER_NET_DEFAULTS[name])}")
    return f"({'; '.join(parts)})"


def _text(value: Any) -> str:
    return " ".join(f"{each:g}" for each in value) if isinstance(value, tuple) else str(value)


def _count(text: str) -> int:
    return 0 if text == "0" else int(positive_number(int)(text))


_count.__name__ = "number"


def _clock(text: str) -> tuple[float, float] | str:
    seconds, _, increment = text.partition("+")
    with suppress(ValueError):
        values = float(seconds), float(increment or 0)
        if 0 < values[0] < 1e6 and 0 <= values[1] < 1e6:
            return values
    if text == OFF:
        return OFF
    raise argparse.ArgumentTypeError(f"{text[:40]!a} is not a clock such as 2+0.02, nor '{OFF}'")
