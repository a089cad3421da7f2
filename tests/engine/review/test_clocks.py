import pytest

from engine.review.clocks import Period, read_time_control, seconds_used


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("300", [Period(None, 300)]),
        ("300+3", [Period(None, 300, 3)]),
        ("40/7200:3600+30", [Period(40, 7200), Period(None, 3600, 30)]),
        ("40/5400+30:20/1800+30:900+30", [Period(40, 5400, 30), Period(20, 1800, 30), Period(None, 900, 30)]),
        ("0.5+0.1", [Period(None, 0.5, 0.1)]),
        *[(text, []) for text in ("", "-", "?", "*180", "1/86400", "G/60", "300+", "1e9", "9" * 30, "300d5")],
    ],
)
def test_time_controls(text, periods):
    assert read_time_control(text) == periods


@pytest.mark.parametrize(
    ("control", "clocks", "used"),
    [
        ("300+3", [300, 300, 293, 301.5], [0, 0, 10, 1.5]),  # the first clocks did not run
        ("300", [290, 300, 280, 295], [10, 0, 10, 5]),
        ("60+1", [55, 58, None, 50, 40, 49], [6, 3, None, 9, None, 2]),
        ("", [55, 58, 50, 60], [None, None, 5, None]),  # the increment is not known
        ("2/100:50", [90, 95, 130, 140, 120, 100], [10, 5, 10, 5, 10, 40]),  # 50 are added after two moves
        ("2/100", [90, 90, 180, 190, 170, 150, 265, 230], [10, 10, 10, 0, 10, 40, 5, 20]),  # and again
        ("300", [300.4, 299, 299, 298], [0, 1, 1.4, 1]),
        ("", [], []),
    ],
)
def test_seconds_used(control, clocks, used):
    assert seconds_used(clocks, control) == pytest.approx(used)
