"""The options as parameters of the kernels."""

from engine.config.options import Options
from engine.config.strength import EXPLORATION, FIRST_PLAY, GROWTH
from engine.mcts.params import NETWORK, PLAYOUT, PUCT, UCB1, SearchParams
from engine.network.infer import PLAIN_SHARPNESS, sharpness
from movegen.bits import U64


def search_params(options: Options) -> SearchParams:
    """Formula, evaluator and constants; the options give these in thousandths."""
    is_ucb1 = options.formula == "UCB1"
    return SearchParams(
        formula=UCB1 if is_ucb1 else PUCT,
        evaluator=NETWORK if options.evaluator == "Network" else PLAYOUT,
        exploration=(options.ucb1_c if is_ucb1 else options.puct_c) / 1000,
        first_play=options.first_play / 1000,
        growth=options.puct_growth / 1000,
        sharpness=sharpness(options.policy_temperature / 1000),
        root_sharpness=sharpness(options.root_temperature / 1000),
        quiescence=U64(options.quiescence),
        transpositions=U64(options.transpositions),
        batch=U64(options.batch or 1),
    )


def weakened(params: SearchParams) -> SearchParams:
    """For play by rating: the search that the ratings were measured with.

    Priors are as the network gives them, PUCT has its constants of that time, and leaves are evaluated one by one.
    """
    plain = params._replace(
        sharpness=PLAIN_SHARPNESS,
        root_sharpness=PLAIN_SHARPNESS,
        quiescence=U64(0),
        transpositions=U64(0),
        batch=U64(1),
    )
    if params.formula == UCB1:
        return plain
    return plain._replace(exploration=EXPLORATION, growth=GROWTH, first_play=FIRST_PLAY)


def root_exponent(options: Options) -> float:
    """The power that turns the priors of any node into those of a root; 1 without a network."""
    if options.evaluator != "Network":
        return 1.0
    return options.policy_temperature / options.root_temperature
