"""Figures as tables for the terminal."""

from rich.table import Table

from engine.network.weights import Network
from engine.training.data.draw_model import calibration, with_sound_results
from engine.training.data.games import Games, decode
from engine.training.fit.figures import Figures, values


def figures_table(figures: Figures) -> Table:
    """The main figures, a row each."""
    table = Table("figure", "value")
    table.add_row("positions", f"{figures.positions:,}")
    table.add_row("value error (mean square)", figure(figures.value_mse, ".5f"))
    table.add_row("policy cross-entropy", figure(figures.policy_ce, ".4f"))
    tops = (figures.policy_top1, figures.policy_top3, figures.policy_top5)
    table.add_row("policy top 1 / 3 / 5", " / ".join(figure(top, ".2%").replace("%", " %") for top in tops))
    return table


def figure(number: float | None, form: str) -> str:
    """A number as text, a dash where there is none."""
    return "–" if number is None else format(number, form)


def draw_calibration_table(network: Network, games: Games) -> Table:
    """The predicted and observed shares of draws in games without random moves."""
    positions = decode(games.with_moves()).positions
    sound = with_sound_results(positions)
    table = Table("positions", "draws expected", "draws", title="games without random moves")
    if sound.any():
        draws = values(network, positions.boards[sound])[:, 1]
        for row in calibration(draws, positions.results[sound]):
            table.add_row(f"{row['positions']:,}", f"{row['expected']:.3f}", f"{row['real']:.3f}")
    return table
