"""Tests of the files that ship with an exercise: they are written, proved, and reported if they are stale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from normgrade.course.course import Course
from normgrade.diagnosis.footprints import decode, encode
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.report.report import Check, Outcome
from normgrade.verify.shipping import deviating_footprints, deviations, missing, write
from normgrade.verify.verification import verify

pytestmark = pytest.mark.usefixtures("expectations")
EditedCourse = Callable[..., Course]


def told(course: Course) -> list[str]:
    """Return the deviations of the files that ship with an exercise."""
    exercise = course.exercise("rms")
    with open_grader([exercise], Options()) as grader:
        return list(deviations(grader, exercise))


def test_written_files_hold_and_are_reproducible(edited_course: EditedCourse) -> None:
    course = edited_course({})
    exercise = course.exercise("rms")
    files = exercise.spreads, exercise.footprints
    assert missing(exercise) == files
    write([exercise])
    contents = [path.read_bytes() for path in files]
    write([exercise])
    assert [path.read_bytes() for path in files] == contents and missing(exercise) == () and told(course) == []


def shipped(course: Course) -> tuple[Check, Outcome]:
    """Return the check of the shipped files, and the outcome of all proofs."""
    [report] = verify([course.exercise("rms")])
    [check] = [check for check in report.checks if check.name == "shipped"]
    return check, report.outcome


def test_missing_files_are_only_a_skipped_proof(edited_course: EditedCourse) -> None:
    check, outcome = shipped(edited_course({}))
    assert (check.outcome, check.points, outcome) == (Outcome.SKIPPED, 0, Outcome.PASSED)
    assert check.message.startswith("Missing: spreads.xz and footprints.npz. Run `normgrade verify --write rms --course ")


def test_changed_mistake_fails_and_names_the_command(edited_course: EditedCourse) -> None:
    course = edited_course({})
    write([course.exercise("rms")])
    mistakes = course.exercise("rms").mistakes
    mistakes.write_text(mistakes.read_text().replace("torch.sqrt(mean_square) + eps", "torch.sqrt(mean_square) + 2 * eps"))
    check, outcome = shipped(course)
    assert check.outcome is outcome is Outcome.FAILED
    stale, advice = check.message.splitlines()
    assert stale == "solutions/rms/footprints.npz: It was computed for other mistakes, or for another suite or reference."
    assert advice.startswith("Run `normgrade verify --write rms --course ") and advice.endswith("` to write it again.")


def test_damaged_files_are_reported(edited_course: EditedCourse) -> None:
    course = edited_course({})
    course.exercise("rms").footprints.write_bytes(b"nonsense")
    course.exercise("rms").spreads.write_bytes(b"nonsense")
    spreads, footprints, _command = told(course)
    assert spreads == "solutions/rms/spreads.xz: 5 of 5 requests are missing, and 0 are not asked any more."
    assert footprints == "solutions/rms/footprints.npz: It is damaged, or was written by another version."


@pytest.mark.parametrize(("others", "sentences"), [(1, []), (2, ["{name}: 2 facts are changed only in the file or only here."])])
def test_single_borderline_fact_may_differ(others: int, sentences: list[str], edited_course: EditedCourse) -> None:
    exercise = edited_course({}).exercise("rms")
    write([exercise])
    footprints = decode(exercise.footprints.read_bytes())
    marks = footprints.marks.copy()
    marks[0, :others] ^= True  # the first mistake is in every sample
    with open_grader([exercise], Options()) as grader:
        found = list(deviating_footprints(grader, exercise, encode(replace(footprints, marks=marks))))
    assert found == [sentence.format(name=footprints.mistakes[0]) for sentence in sentences]
