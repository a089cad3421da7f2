"""A round's gates: matches of its net against the best one, with a test, at fixed visits or on the clock."""

from contextlib import closing
from pathlib import Path
from typing import Any

from engine.match.adjudication import Adjudication
from engine.match.openings import Opening, read_openings
from engine.match.pairs import MatchPlan, with_units
from engine.match.play import Match, choose_openings
from engine.match.player import TimeControl
from engine.match.player_files import WEIGHTS, checksum_of_file
from engine.match.replay import check_pairs
from engine.match.roster import own_player_spec
from engine.match.sprt import Decision
from engine.match.summary import MatchSummary
from engine.training.fit.settings import require
from engine.training.loop.loop_journal import END, GATE
from engine.training.loop.nets import Nets
from engine.training.loop.rounds import Round, Step
from engine.training.loop.settings import CLOCK, VISITS, LoopSettings, option_of, seed_of
from engine.training.loop.spent import CountedJournal, OpenRun, spent
from perft.runner.journal import JOURNAL, Journal, hash_of_units

UNITS_LETTERS = 8  # of the hash of a match, in the name of its folder


def openings_of(settings: LoopSettings, gate: str, seed: int) -> list[Opening]:
    """The openings of a gate, one for each pair; a `ValueError` if the book has changed or is too small."""
    book = None
    if settings.book:
        changed = f"{settings.book} has changed: with --change --book FILE it is used from now on"
        require(checksum_of_file(settings.book) == settings.book_sha256, changed)
        book = read_openings(Path(settings.book))
    games = settings.gate_games if gate == VISITS else settings.clock_games
    return choose_openings(book, -(-games // 2), seed, is_repeatable=gate == VISITS)


def control_of(settings: LoopSettings, gate: str) -> TimeControl:
    """How long the players of a gate think."""
    if gate == VISITS or settings.clock is None:
        return TimeControl(visits=settings.gate_visits)
    return TimeControl(clock=settings.clock[0], increment=settings.clock[1])


def match_of(one: Round, gate: str, nets: Nets) -> Match:
    """The match of a gate; its first player is the new net."""
    players = [own_player_spec(name, {WEIGHTS: str(nets.path(name))}) for name in (str(one.net), one.against)]
    seed = seed_of(one.settings, one.number, f"{GATE} {gate}")
    openings = tuple(openings_of(one.settings, gate, seed))
    plan = MatchPlan((players[0], players[1]), control_of(one.settings, gate), Adjudication(), openings, seed)
    return Match(with_units(plan), one.settings.sprt_of(gate))


def play_gate(one: Round, gate: str, folder: Path, nets: Nets, open_run: OpenRun) -> dict[str, Any]:
    """Play a gate in the folder of its round, until it is decided; -> what is recorded."""
    match = match_of(one, gate, nets)
    units = hash_of_units(match.units)[:UNITS_LETTERS]  # other units, after another version of Teresa: another folder
    journal, counted_in = Journal(folder / f"{GATE}-{gate}-{units}"), folder / f"{GATE}-{gate}.spent"
    with open_run() as run, closing(journal):
        if (journal.folder / JOURNAL).is_file():
            journal.resume()
        else:
            journal.start({"command": f"train loop, {GATE} {gate}", "units": len(match.units)})
        summary = match.play(run.runner(CountedJournal(journal, counted_in), check_pairs))
    return {**result_of(summary), "cpu_seconds": spent(counted_in)}


def result_of(summary: MatchSummary) -> dict[str, Any]:
    """A match as it is recorded: passed if the test has accepted the larger Elo, not if the games ran out before."""
    score, sprt = summary.score, summary.sprt
    return {
        "won": score.wins,
        "drawn": score.draws,
        "lost": score.losses,
        "pairs": list(score.counts),
        "llr": round(sprt.llr(score.counts), 3) if sprt else 0.0,
        "decision": summary.decision.value,
        "passed": summary.decision is Decision.H1,
    }


def lacks_its_book(one: Round) -> bool:
    """Are there gates of a round that cannot be played any more, as its book is lost or another one?"""
    if not one.settings.book or one.next_step in (None, Step(END)):
        return False
    try:
        return checksum_of_file(one.settings.book) != one.settings.book_sha256
    except ValueError:
        return True


def check_gates(settings: LoopSettings) -> None:
    """Raise a `ValueError` if the openings of a gate cannot be used."""
    for gate in [VISITS] if settings.clock is None else [VISITS, CLOCK]:
        try:
            openings_of(settings, gate, settings.seed)
        except ValueError as error:
            raise ValueError(f"{option_of('book')}: {error}") from None
