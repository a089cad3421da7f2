"""Files of `teresa tune`, good and bad."""

import textwrap

import pytest

from engine.cli.tune import FILE_FORMAT
from engine.tune.plan import Constant, read_tune_plan
from tests.documents import DOCUMENTS, blocks_of

GOOD = """
visits = 8
games = 11
seed = 5
resign = [500, 2]

[options]
"policy temperature" = 2000

[[constant]]
name = "puct c"
low = 200
high = 2000

[[constant]]
name = "First Play"
low = -100
high = 300
step = 100
"""


def written(folder, text):
    path = folder / "constants.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file(tmp_path):
    plan = read_tune_plan(written(tmp_path, GOOD))
    assert plan.constants == (
        Constant("PUCT C", 200, 2000, 550, "log", 900.0),
        Constant("First Play", -100, 300, 180, "linear", 100.0),
    )
    assert (plan.method, plan.visits, plan.pairs, plan.seed, plan.resign) == ("random", 8, 6, 5, (500, 2))
    assert plan.options == (("Policy Temperature", "2000"),)
    assert plan.player("X", {"PUCT C": 600}).options == {"Policy Temperature": "2000", "PUCT C": "600"}


def test_the_files_in_the_documents_are_good(tmp_path):
    (tmp_path / "openings.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    blocks = [block for document in DOCUMENTS for block in blocks_of(document) if block.language == "toml"]
    assert blocks
    for block in blocks:
        assert read_tune_plan(written(tmp_path, block.text)).constants


def test_the_file_in_the_help_is_good(tmp_path):
    (tmp_path / "8moves.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    text = FILE_FORMAT.split("the file (TOML):")[1].split("also:")[0]
    plan = read_tune_plan(written(tmp_path, textwrap.dedent(text)))
    assert (plan.pairs, plan.present) == (1000, {"PUCT C": 550})


def test_present_values_come_from_the_options(tmp_path):
    text = GOOD.replace('"policy temperature" = 2000', '"PUCT C" = 700')
    assert read_tune_plan(written(tmp_path, text)).present == {"PUCT C": 700, "First Play": 180}


def test_games_of_several_threads_are_not_repeatable(tmp_path):
    text = GOOD.replace('"policy temperature" = 2000', "Threads = 2")
    assert read_tune_plan(written(tmp_path, GOOD)).is_repeatable
    assert not read_tune_plan(written(tmp_path, text)).is_repeatable


def test_paths_of_books_start_at_the_file(tmp_path):
    (tmp_path / "book.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
    plan = read_tune_plan(written(tmp_path, 'book = "book.epd"\n' + GOOD))
    assert len(plan.book) == 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("visits = 8", "visits = ", "Invalid value"),
        ("visits = 8", "visits = 0", "visits must be a whole number of at least 1"),
        ("visits = 8", 'visits = "8"', "visits must be a whole number"),
        ("visits = 8", "visit = 8", "unknown key 'visit'"),
        ("seed = 5", 'method = "genetic"', "method must be random or spsa, not 'genetic'"),
        ("[500, 2]", "[500]", "resign must be 2 whole numbers"),
        ('"puct c"', '"no such"', "constant 'no such' is not an option with a number"),
        ('"puct c"', '"Formula"', "constant 'Formula' is not an option with a number"),
        ('"puct c"', '"Seed"', "constant 'Seed' is not an option with a number"),
        ('"puct c"', '"Threads"', "Threads cannot be tuned: with fixed visits more threads are only worse"),
        ('"puct c"', '"Move Overhead"', "Move Overhead cannot be tuned: there is no clock"),
        ('"puct c"', '"UCI_Elo"', "UCI_Elo cannot be tuned: it makes the engine weaker on purpose"),
        ('"puct c"', '"UCB1 C"', "UCB1 C has no effect: Formula is PUCT, not UCB1"),
        ('"policy temperature" = 2000', 'Formula = "UCB1"', "PUCT C has no effect: Formula is UCB1, not PUCT"),
        ('"First Play"\nlow = -100', '"puct c"\nlow = 1', "PUCT C: the present value 550 is not within 1 … 300"),
        ('"First Play"\nlow = -100\nhigh = 300', '"puct c"\nlow = 1\nhigh = 800', "PUCT C is there twice"),
        ("low = 200", "low = 3000", "low below high"),
        ("low = 200", "low = -5", "PUCT C: low and high must lie within 0 … 10000"),
        ("high = 2000", "high = 500", "the present value 550 is not within 200 … 500"),
        ("high = 2000", "highest = 500", "PUCT C has the unknown key 'highest'"),
        ("high = 2000", "", "PUCT C: high must be a whole number"),
        ("step = 100", "step = 0", "First Play: step must be a number above 0"),
        ("step = 100", 'scale = "log"', "needs numbers above 0"),
        ("step = 100", 'scale = "cubic"', "scale must be log or linear"),
        ('"policy temperature" = 2000', "Nothing = 1", "no option is called 'Nothing'"),
        ("seed = 5", 'book = "none.epd"', "none.epd: No such file"),
        ("[options]", "[option]", "unknown key 'option'"),
    ],
)
def test_errors_name_the_file_and_the_reason(tmp_path, old, new, reason):
    with pytest.raises(ValueError, match=r"constants.toml: ") as raised:
        read_tune_plan(written(tmp_path, GOOD.replace(old, new, 1)))
    assert reason in str(raised.value)


@pytest.mark.parametrize("text", ["", "visits = 8\n", "constant = 3\n", "constant = [3]\n", "\x00"])
def test_files_without_constants(tmp_path, text):
    with pytest.raises(ValueError, match=r"constants.toml: "):
        read_tune_plan(written(tmp_path, text))


def test_a_missing_file(tmp_path):
    with pytest.raises(ValueError, match="No such file"):
        read_tune_plan(tmp_path / "nothing.toml")
