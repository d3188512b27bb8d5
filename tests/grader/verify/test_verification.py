"""Tests of the tables of situations and habits, and of exercises that cannot be proved yet; test_proofs.py has those of the reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from chinese import in_chinese

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.package import carried
from normgrade.course.tensor_library import Library
from normgrade.language.errors import CourseError, UsageError
from normgrade.report.report import NOTHING_RAN, Check, Kind, Outcome, Report
from normgrade.suite.situations import SITUATIONS
from normgrade.verify.habits import fitting, habits_in
from normgrade.verify.verification import matrix, matrix_of_habits, sorted_out

EditedCourse = Callable[..., Course]
EXERCISES = list(Course(carried()))


def test_situations_have_lines_and_exceptions_have_reasons() -> None:
    head, *lines = matrix(EXERCISES, width=1000)
    assert head.split() == [exercise.slug for exercise in EXERCISES]
    assert [line.split()[0] for line in lines[: len(SITUATIONS)]] == list(SITUATIONS)
    left_out = [(exercise.slug, name, reason) for exercise in EXERCISES for name, reason in exercise.left_out.items()]
    assert lines[len(SITUATIONS) + 1 :] == [f"· {slug}, {name}: {reason}" for slug, name, reason in left_out] and left_out
    row = dict(zip(head.split(), lines[list(SITUATIONS).index("every_dtype")].split()[1:], strict=True))
    assert (row["layer_norm"], row["spectral_norm"]) == ("✓", "·")


def test_reason_cannot_control_a_terminal_or_ci() -> None:
    *_table, reason = matrix([replace(EXERCISES[0], left_out={"views": "a\x1b[2Jb ##[error]\n::error::c"})])
    assert reason == f"· {EXERCISES[0].slug}, views: a·[2Jb ·#[error]\n·:error::c"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_table_too_wide_for_the_terminal_is_split(width: int) -> None:
    lines = [line for line in matrix(EXERCISES, width) if not line.startswith("·")]
    heads = [line for line in lines if line.startswith(" ")]
    assert [slug for head in heads for slug in head.split()] == [exercise.slug for exercise in EXERCISES]
    assert max(map(len, lines)) <= width and len(heads) > 1


def test_narrow_terminal_gives_each_exercise_a_table() -> None:
    heads = [line for line in matrix(EXERCISES[:2], width=1) if line.startswith(" ")]
    assert [head.split() for head in heads] == [[exercise.slug] for exercise in EXERCISES[:2]]


def told(slug: str, message: str) -> Report:
    """Return a report on an exercise with the proof of its habits."""
    proof = Check("habits", "They are killed.", Kind.PROOF, Outcome.FAILED, 1, message=message)
    return Report(slug, slug, Outcome.FAILED, 1, NOTHING_RAN, 0, 0.0, checks=(proof,))


def test_every_habit_has_a_line_with_its_outcome() -> None:
    exercises = [Course(carried()).exercise(slug) for slug in ("batch_norm", "softmax_backward")]
    reports = [told("batch_norm", "seed-set survives: The global seed is set."), told("softmax_backward", "")]
    head, *lines = matrix_of_habits(exercises, reports)
    row = {line.split()[0]: line for line in lines[: lines.index("")]}
    assert head.split() == ["batch_norm", "softmax_backward"]
    assert list(row) == [name for name in names_of_habits() if any(name in names for names in map(fitting_names, exercises))]
    assert (row["seed-set"].split()[1:], row["mode-toggled"].split()[1:]) == (["✗", "✓"], ["✓"])
    assert row["infinities-clamped"].split()[1:] == ["✓", "·"]
    assert row["gradients-kept"].index("✓") > row["mode-toggled"].index("✓")  # each in the column of its exercise
    assert f"· softmax_backward, infinities-clamped: {exercises[1].left_out_habits['infinities-clamped']}" in lines


def fitting_names(exercise: Exercise) -> set[str]:
    return {habit.name for habit in fitting(exercise)}


def names_of_habits() -> list[str]:
    return list(dict.fromkeys(habit.name for library in Library for habit in habits_in(EXERCISES[0].shared_habits(library))))


# Exercises that cannot be proved yet: one report lists everything that they lack


def problems(course: Course, name: str = "rms") -> list[str]:
    """Return the lines of the only report's message."""
    ready, [report] = sorted_out(course, [name])
    assert (ready, report.exercise, report.outcome, report.sandbox) == ([], name, Outcome.FAILED, "none")
    assert [(check.name, check.outcome) for check in report.checks] == [("complete", Outcome.FAILED)]
    return report.checks[0].message.replace(f"{course.root}/", "").splitlines()


def test_a_sound_course_is_proved_as_a_whole(tiny: Course) -> None:
    assert sorted_out(tiny, []) == ([*tiny], [])
    assert sorted_out(tiny, ["rms", "rms"]) == ([tiny.exercise("rms")], [])


def test_unfinished_exercises_do_not_stop_the_others(edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/rms/exercise.toml": "level = "})
    (course.root / "exercises" / "draft").mkdir()
    ready, reports = sorted_out(course, [])
    assert [exercise.slug for exercise in ready] == ["centring"]
    assert [(report.exercise, report.submission, report.course) for report in reports] == [
        ("draft", "solutions/draft", str(course.root)),
        ("rms", "solutions/rms", str(course.root)),
    ]


def test_everything_missing_is_reported_at_once(edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/draft/README.md": "# Draft\n\nTODO\n"})
    assert problems(course, "draft") == [
        "exercises/draft/exercise.toml is missing.",
        "exercises/draft/draft.py is missing.",
        "solutions/draft/reference.py is missing.",
        "solutions/draft/mistakes.toml is missing.",
        "tests/hidden/test_draft.py is missing.",
        "exercises/draft/README.md: 1 line contains TODO: line 3.",
    ]


def test_missing_files_come_before_errors_in_exercise_toml(edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("level = 1", "level = 9")]})
    (course.root / "solutions/rms/reference.py").unlink()
    assert problems(course) == [
        "solutions/rms/reference.py is missing.",
        "exercises/rms/exercise.toml: level: must be a whole number from 1 to 4, not 9.",
    ]


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("solutions/rms/mistakes.toml", "[it]\n", "solutions/rms/mistakes.toml: it.says: is missing."),
        ("solutions/rms/mistakes.toml", "[wrong.it]\n", "solutions/rms/mistakes.toml: wrong.it.what: is missing."),
        ("solutions/rms/mistakes.toml", "[[equivalent]]\n", "solutions/rms/mistakes.toml: equivalent[1].change: is missing."),
        ("tests/hidden/test_rms.py", "\n", "tests/hidden/test_rms.py: no tests found; a hidden suite needs at least one."),
    ],
)
def test_broken_file_prevents_all_proofs(file: str, text: str, why: str, edited_course: EditedCourse) -> None:
    assert problems(edited_course({file: text})) == [why]


def test_unwritten_reference_prevents_all_proofs(edited_course: EditedCourse) -> None:
    stub = "def rms(x, eps=1e-5):\n    raise NotImplementedError\n"
    points = [("points = 8", "points = 9")]
    edits = {"solutions/rms/reference.py": stub, "solutions/rms/mistakes.toml": "", "exercises/rms/exercise.toml": points}
    assert problems(edited_course(edits)) == [
        "solutions/rms/reference.py still raises NotImplementedError. Write it first: the proofs need it.",
        "solutions/rms/mistakes.toml: expected at least 1 mistakes, found 0.",
        "tests/hidden/test_rms.py: the points sum to 8 instead of 9: "
        "tests 8 (test_call 1, test_rows 4, test_alone 2, test_half_precision 1).",
    ]


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        (
            "exercises/rms/zh.toml",
            in_chinese("places", {"row {number}": "{n}"}),
            "exercises/rms/zh.toml: '{n}' has other names in braces than its English.",
        ),
        (
            "solutions/zh.toml",
            'sum-for-mean.a1 = ""',
            "solutions/zh.toml: sum-for-mean.a1: must be a text that is not empty, not ''.",
        ),
    ],
)
def test_wrong_translation_is_told_in_english_too(file: str, text: str, why: str, edited_course: EditedCourse) -> None:
    assert problems(edited_course({file: text})) == [why]


def test_unused_shared_part_has_a_report(edited_course: EditedCourse) -> None:
    course = edited_course({"solutions/mistakes.toml": "[nobody]\ncost = 1\n"})
    assert sorted_out(course, ["rms"])[1] == []
    ready, [report] = sorted_out(course, [])
    assert ready == [*course]
    assert (report.exercise, report.submission, report.outcome) == ("shared", "solutions", Outcome.FAILED)
    [check] = report.checks
    assert (check.name, check.claim) == ("shared", "The exercises use everything in the files that they share.")
    assert check.message == "solutions/mistakes.toml: no exercise uses nobody. Remove it."


def test_unknown_exercise_is_an_error(tiny: Course) -> None:
    with pytest.raises(UsageError) as caught:
        sorted_out(tiny, ["centring", "rsm"])
    assert str(caught.value) == 'No exercise named "rsm". Did you mean "rms"? `normgrade list` shows them all.'


def test_an_empty_course_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "exercises").mkdir()
    with pytest.raises(UsageError) as caught:
        sorted_out(Course(tmp_path), [])
    assert str(caught.value) == (
        f'Nothing to verify: the course "{tmp_path}" has no exercises. Run `normgrade new SLUG "Name(dim)"` to create one.'
    )


def test_broken_course_toml_raises(edited_course: EditedCourse) -> None:
    with pytest.raises(CourseError, match=r"course\.toml: titel: unknown key"):
        sorted_out(edited_course({"course.toml": "titel = 1"}), [])
