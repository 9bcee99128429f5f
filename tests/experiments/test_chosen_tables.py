"""What a page shows of the tables kept beside it."""

from __future__ import annotations

import pytest
from chosen_tables import Chosen, Joined

TABLE = """\
### On mice

| way | right | gain | n |
| --- | ---: | ---: | ---: |
| one | 70.1 (60.0 to 80.0) ± 0.3 | +1.0 (-0.2 to +2.2), p = 0.700 | 12 |
| two | 50.0 |  | 13 |

### On rats

| way | right | gain | n |
| --- | ---: | ---: | ---: |
| two | 40.0 | -1.0 (-1.2 to -0.2), p < 0.001 | 14 |
"""


def test_a_text_and_a_whole_table_stay_as_they_are() -> None:
    assert f"{Chosen('MEDIC (1 to 2), p = 0.1')}" == "MEDIC (1 to 2), p = 0.1"
    assert f"{Chosen(TABLE)}" == TABLE.replace("60.0 to 80.0", "60.0–80.0")


def test_parts_columns_and_rows_are_chosen_and_renamed() -> None:
    assert f"{Chosen(TABLE):part 1; column 2 1; row 1; head more | how many; brief}" == (
        "### On mice\n\n| way | more | how many |\n| --- | ---: | ---: |\n| one | +1.0 (-0.2 to +2.2) | 70.1 (60.0–80.0) |\n"
    )


def test_the_parts_of_several_tables_become_columns_of_one() -> None:
    joined = Joined({"scores": TABLE, "others": TABLE.replace("On mice", "On cats")})
    assert f"{joined:scores others; column 3; part 1-3; head mice | rats | cats}" == (
        "| way | mice | rats | cats |\n| --- | ---: | ---: | ---: |\n| one | 12 |  | 12 |\n| two | 13 | 14 | 13 |\n"
    )


def test_parts_may_become_rows_and_labels_one() -> None:
    pairs = Joined({"scores": TABLE.replace("On rats", "Trained on mice, linked rats")})
    assert f"{pairs:scores; column 2; turn; row 2; brief; corner from}" == (
        "| from | one | two |\n| --- | ---: | ---: |\n| mice → rats |  | -1.0 (-1.2 to -0.2) |\n"
    )
    assert (
        f"{Chosen(TABLE):part 2; label 2; column 2}"
        == "### On rats\n\n| way, right | n |\n| --- | ---: |\n| two, 40.0 | 14 |\n"
    )


def test_tables_with_equal_heads_become_one() -> None:
    table = "| a | b |\n| --- | ---: |\n| 1 | 2 |\n"
    other = table.replace("| 1 |", "| 3 |")
    assert (
        f"{Chosen(f'### X{chr(10)}{chr(10)}{table}{chr(10)}{other}'):part 1 2}"
        == f"### X\n\n{table}| 3 | 2 |\n"
    )


def test_an_unknown_wish_is_refused() -> None:
    with pytest.raises(ValueError, match="'colum 3' chooses nothing"):
        f"{Chosen(TABLE):colum 3}"
