"""Tests of README's table of exercises, which must agree with the course."""

from __future__ import annotations

from readme_table import README, UNWRITTEN, between, table_of, updated

from normgrade.course.course import Course
from normgrade.course.package import carried


def test_the_table_in_readme_is_that_of_the_course() -> None:
    text = README.read_text(encoding="utf-8")
    assert updated(text, Course(carried())) == text, "run `python tests/grader/harness/readme_table.py`"
    assert UNWRITTEN not in between(text)[1], "say in README what is hard about it"


def test_handwritten_cells_stay_and_new_ones_are_marked(tiny: Course) -> None:
    table = "| exercise | level | what is hard about it |\n|---|---|---|\n| `rms` | 9 | the mean |\n| `gone` | 1 | x |\n"
    before = f"# Norms\n\n{table}\nEnd.\n"
    assert updated(before, tiny) == f"# Norms\n\n{table_of(tiny, {'rms': 'the mean'})}\nEnd.\n"
    assert "| **Layers** | | | |\n| `centring` | 2 | | TODO |\n" in updated(before, tiny)
