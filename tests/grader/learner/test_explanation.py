"""An explanation of a mistake, and the play of every check."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.learner.explanation import Explanation, explain, results_of
from normgrade.report.report import Outcome


@pytest.fixture(scope="module")
def explained(tiny: Course, expectations: Path) -> Mapping[tuple[str, str], Explanation]:
    """Return the explanation of every mistake of the tiny course."""
    with open_grader(list(tiny), Options()) as grader:
        return {(each.slug, mistake.name): explain(grader, each, mistake) for each in tiny for mistake in read_mistakes(each)}


def test_a_showing_example_exceeds_its_tolerance(explained: Mapping[tuple[str, str], Explanation]) -> None:
    shown = [found.shows for found in explained.values() if found.shows is not None]
    assert len(shown) >= len(explained) - 1
    for example in shown:
        numbers = example.arrays.numbers
        assert example.check.outcome is Outcome.FAILED
        assert not (np.abs(numbers.expected - numbers.actual) <= numbers.allowed).all()


def test_a_hiding_example_is_within_its_tolerance(explained: Mapping[tuple[str, str], Explanation]) -> None:
    hidden = [found.hides for found in explained.values() if found.hides is not None]
    assert hidden != []
    for example in hidden:
        numbers = example.arrays.numbers
        assert example.check.outcome is Outcome.PASSED and example.check.kind != "interface"
        assert (np.abs(numbers.expected - numbers.actual) <= numbers.allowed).all()


def test_every_result_is_returned_with_progress(tiny: Course, expectations: Path) -> None:
    rms, told = tiny.exercise("rms"), list[tuple[str, int, int]]()
    options = Options(progress=lambda what, done, total: told.append((what, done, total)))
    with open_grader([rms], options) as grader:
        results = list(results_of(grader, rms, read_text(rms.reference), "rms.py", "playing"))
    assert {result.check.outcome for result in results} == {Outcome.PASSED}
    assert [step for step in told if step[0] == "playing"] == [("playing", number, len(results)) for number in range(1, len(results) + 1)]
