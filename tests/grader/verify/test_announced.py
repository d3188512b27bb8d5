"""Tests of the proof that a sentence announces everything that is tested."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from normgrade.course.course import Course
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.report.report import Outcome
from normgrade.verify.announced import announced, lines, unannounced
from normgrade.verify.proofs import verify

pytestmark = pytest.mark.usefixtures("expectations")
EditedCourse = Callable[..., Course]
PROMPT, RULES = "exercises/rms/README.md", "exercises/rules.md"
MARKS = [("(mean(x²) + eps)`.", "(mean(x²) + eps)`. <!-- test_call, test_rows -->")]
THE_REST = "# Rules\n\n- A row may be alone. <!-- test_alone -->\n- float16 stays float16. <!-- test_half_precision, far_eps -->\n"


def problems(course: Course, *languages: str) -> list[str]:
    exercise = course.exercise("rms")
    with open_grader([exercise], Options()) as grader:
        return [*unannounced(exercise, grader.suites["rms"], languages or ("en",))]


def test_prompt_and_rules_together_announce_every_check(edited_course: EditedCourse) -> None:
    course = edited_course({PROMPT: MARKS, RULES: THE_REST})
    assert problems(course) == []
    exercise = course.exercise("rms")
    with open_grader([exercise], Options()) as grader:
        assert [*lines(exercise, grader.suites["rms"])] == [
            "test_call            README.md: Divide every row of `x` by its root mean square: `x / sqrt(mean(x²) + eps)`.",
            "test_rows            README.md: Divide every row of `x` by its root mean square: `x / sqrt(mean(x²) + eps)`.",
            "test_alone           rules.md: A row may be alone.",
            "test_half_precision  rules.md: float16 stays float16.",
        ]


def test_the_prompt_counts_before_the_rules(edited_course: EditedCourse) -> None:
    course = edited_course({PROMPT: MARKS, RULES: "Something else. <!-- test_rows -->"})
    assert announced(course.exercise("rms"))["test_rows"].page.name == "README.md"


def test_a_check_that_nothing_announces_is_named(edited_course: EditedCourse) -> None:
    wrong = [("(mean(x²) + eps)`.", "(mean(x²) + eps)`. <!-- test_call, test_row -->")]
    course = edited_course({PROMPT: wrong, RULES: THE_REST})
    assert problems(course) == [
        f"{PROMPT}: no sentence announces test_rows. Write `<!-- test_rows -->` after the one that does.",
        f"{PROMPT}: it announces test_row, which is no check of the suite.",
    ]
    [report] = verify([course.exercise("rms")])
    [proof] = [check for check in report.checks if check.name == "told"]
    assert proof.outcome is Outcome.FAILED and proof.message.splitlines() == problems(course)


def test_each_language_has_to_announce_it(edited_course: EditedCourse) -> None:
    other = "exercises/rms/README.zh.md"
    course = edited_course({PROMPT: MARKS, RULES: THE_REST, other: "# 均方根\n\n除以均方根。 <!-- test_call, test_rows, test_alone -->\n"})
    assert problems(course, "en", "zh") == [
        f"{other}: no sentence announces test_half_precision. Write `<!-- test_half_precision -->` after the one that does."
    ]


def test_a_course_without_marks_need_not_announce_anything(tiny: Course) -> None:
    [report] = verify([tiny.exercise("rms")])
    assert "told" not in {check.name for check in report.checks}
