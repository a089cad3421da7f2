"""The options of the search as its kernels take them."""

from engine.mcts.setup import NETWORK, PLAYOUT, PUCT, UCB1, Settings
from engine.network.infer import PLAIN, sharpness
from engine.options import Settings as Options
from engine.strength import EXPLORATION, FIRST_PLAY, GROWTH
from movegen.bits import U64


def kernel_settings(options: Options) -> Settings:
    """What the options say of formula, evaluator and constants; those are given in thousandths."""

    def number(name: str) -> float:
        return options.number(name) / 1000

    is_ucb1 = options.text("Formula") == "UCB1"
    return Settings(
        formula=UCB1 if is_ucb1 else PUCT,
        evaluator=NETWORK if options.text("Evaluator") == "Network" else PLAYOUT,
        exploration=number("UCB1 C" if is_ucb1 else "PUCT C"),
        first_play=number("First Play"),
        growth=number("PUCT Growth"),
        sharpness=sharpness(number("Policy Temperature")),
        root_sharpness=sharpness(number("Root Temperature")),
        batch=U64(options.number("Batch")),
    )


def weakened(settings: Settings) -> Settings:
    """For play by rating: the priors as the network gives them, and PUCT as it was when the ratings were measured."""
    plain = settings._replace(sharpness=PLAIN, root_sharpness=PLAIN)
    if settings.formula == UCB1:
        return plain
    return plain._replace(exploration=EXPLORATION, growth=GROWTH, first_play=FIRST_PLAY)


def root_exponent(options: Options) -> float:
    """The power that turns the priors of any node into those of a root; 1 without a network."""
    if options.text("Evaluator") != "Network":
        return 1.0
    return options.number("Policy Temperature") / options.number("Root Temperature")
