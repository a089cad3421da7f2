"""One definition of the columns for terminal, notebook and page."""

import pytest

from engine.notebook import SHOWN_COLUMNS as IN_NOTEBOOKS
from engine.report.columns import EXPLAINED, MOVE_COLUMNS, best_score, find, grade, table_columns
from engine.report.formulas import FORMULAS


def test_each_column_has_its_key_and_importance():
    assert len({column.key for column in MOVE_COLUMNS}) == len(MOVE_COLUMNS)
    assert sorted(column.importance for column in table_columns()) == list(range(1, len(MOVE_COLUMNS)))
    assert {column.key for column in MOVE_COLUMNS if column.importance == 0} == {"p_search"}


def test_notebooks_leave_out_the_terms_of_the_formula():
    left_out = [column.key for column in table_columns() if column not in IN_NOTEBOOKS]
    assert left_out == ["u", "s"]


def test_columns_with_a_formula_are_found_by_key_and_title():
    assert {column.key for column in EXPLAINED} == set(FORMULAS)
    for column in EXPLAINED:
        assert column.meaning
        assert find(column.key.upper()) is find(column.title) is column
    with pytest.raises(ValueError, match=r"there is no column 'line'; there are n \(visits\), share"):
        find("line")


@pytest.mark.parametrize(
    ("score", "expected"), [(0.54, "good"), (0.52, "good"), (0.51, "fair"), (0.50, "fair"), (0.49, "poor"), (None, "")]
)
def test_grades_by_the_distance_to_the_best_score(score, expected):
    assert grade({"q": score}, best_score([{"q": None}, {"q": 0.54}])) == expected
    assert grade({"q": 0.5}, None) == ""
