"""Tests of the files and lines that the problems of proofs are mended in."""

from __future__ import annotations

import doctest
from collections.abc import Callable

import pytest

from normgrade.course.course import Course
from normgrade.language import speak
from normgrade.report.report import Check, Kind, Outcome, Report
from normgrade.verify import mending
from normgrade.verify.mending import problems_in
from normgrade.verify.proofs import verify

EditedCourse = Callable[..., Course]
RMS = "solutions/rms"
MORE = '\n["no-root.1"]\nsays = "No root."\nedit = [[".sqrt()", ""]]\n\n[no-root]\nsays = "No root."\nedit = [[".sqrt()", ""]]\n'


def report(proof: str, message: str, exercise: str = "rms") -> Report:
    check = Check(proof, "A claim.", Kind.PROOF, Outcome.FAILED, 1, message=message)
    return Report(exercise, f"solutions/{exercise}", Outcome.FAILED, possible=1, sandbox="none", seed=0, duration_s=0.0, checks=(check,))


def places_of(course: Course, proof: str, *lines: str, exercise: str = "rms") -> list[tuple[str, int]]:
    found = problems_in(report(proof, "\n".join(lines), exercise), course)
    return [(problem.path.relative_to(course.root).as_posix(), problem.line) for problem in found]


def test_the_examples_run() -> None:
    found = doctest.testmod(mending)
    assert found.attempted >= 1 and found.failed == 0


@pytest.fixture(scope="module")
def course(edited_course: EditedCourse, tiny: Course) -> Course:
    """Return the tiny course with files of every kind."""
    more = (tiny.root / RMS / "mistakes.toml").read_text(encoding="utf-8") + MORE
    return edited_course(
        {
            f"{RMS}/mistakes.toml": more,
            f"{RMS}/wrong.toml": '[twice]\nwhat = "eps twice"\nedit = [["mean_square + eps", "mean_square + 2 * eps"]]\n',
            f"{RMS}/banned/torch_rms.py": "import torch\n",
            "exercises/rms/README.md": "# RMS\n\nOne.\n\n## Contract\n\nTODO\n",
            "exercises/rms/exercise.toml": [('title = "', '# "torch.nothing*"\n\ntitle = "')],
            "solutions/mistakes.toml": "[idle]\n",
        }
    )


@pytest.mark.parametrize(
    ("proof", "line", "at"),
    [
        ("complete", "exercises/rms/README.zh.md is missing.", ("exercises/rms/exercise.toml", 1)),  # no file of this course
        ("complete", "exercises/rms/README.md: 1 line contains TODO: line 7.", ("exercises/rms/README.md", 7)),
        ("complete", 'exercises/rms/README.md: the section "Contract" is empty.', ("exercises/rms/README.md", 5)),
        ("complete", "/tmp/x/exercises/rms/exercise.toml: points: must be a number, not 'a'.", ("exercises/rms/exercise.toml", 7)),
        ("complete", "/tmp/x/solutions/rms/mistakes.toml: no-upcast.edit: must be a list, not 'a'.", (f"{RMS}/mistakes.toml", 13)),
        ("contract", "einsum.py, line 4: rms lacks eps", (f"{RMS}/alternatives/einsum.py", 4)),
        ("contract", "rms.py, line 2: rms lacks eps", ("exercises/rms/rms.py", 2)),
        ("bans", 'exercise.toml: "torch.nothing*" matches nothing that exists.', ("exercises/rms/exercise.toml", 1)),
        ("bans", 'course.toml: "torch.nn.*Norm*" matches nothing that exists.', ("course.toml", 3)),
        ("points", "The sum is 8.", ("tests/hidden/test_rms.py", 1)),
        ("texts", "solutions/rms/wrong.toml does not translate 'a'.", (f"{RMS}/wrong.toml", 1)),
        ("texts", 'einsum.py: the docstring has no paragraph that begins with "zh: ".', (f"{RMS}/alternatives/einsum.py", 1)),
        ("shipped", f"{RMS}/mistakes.toml: It is damaged.", (f"{RMS}/mistakes.toml", 1)),
        ("stub", "It passes.", ("exercises/rms/rms.py", 1)),
        ("right", "einsum.py, seed 0: test_rows[shape0] failed · result", (f"{RMS}/alternatives/einsum.py", 1)),
        ("right", "reference.py, seed 0: test_rows[shape0] failed", (f"{RMS}/reference.py", 1)),
        ("wrong", "twice (eps twice), seed 0: passes every check.", (f"{RMS}/wrong.toml", 1)),
        ("wrong", "no-root.1, seed 0: passes every check.", (f"{RMS}/mistakes.toml", 17)),
        ("named", "no-root, seed 0: diagnosed as no-upcast.", (f"{RMS}/mistakes.toml", 21)),
        ("named", "no-upcast: the result of test_rows differs from the recorded one.", (f"{RMS}/mistakes.toml", 13)),
        ("banned", "banned/torch_rms.py: it is not refused.", (f"{RMS}/banned/torch_rms.py", 1)),
        ("mutants", "line 9: `a` → `b` survives.", (f"{RMS}/reference.py", 9)),
        ("habits", "output-cast survives: the output is cast", ("tests/hidden/test_rms.py", 1)),
        ("habits", "torch.nothing* is left out, but does not survive.", ("exercises/rms/exercise.toml", 1)),
        ("shared", "solutions/mistakes.toml: no exercise uses idle. Remove it.", ("solutions/mistakes.toml", 1)),
    ],
)
def test_each_problem_has_its_file_and_line(proof: str, line: str, at: tuple[str, int], course: Course) -> None:
    assert places_of(course, proof, line) == [at]


def test_a_missing_file_is_the_place(course: Course) -> None:
    lines = "exercises/draft/draft.py is missing.", "tests/hidden/test_draft.py is missing."
    assert places_of(course, "complete", *lines, exercise="draft") == [("exercises/draft/draft.py", 1), ("tests/hidden/test_draft.py", 1)]


def test_problem_of_no_place_goes_to_the_settings(course: Course) -> None:
    assert places_of(course, "shared", "Something.", exercise="shared") == [("course.toml", 1)]


def test_suite_is_shown_at_the_test(course: Course) -> None:
    suite = course.files("rms").suite.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(suite, 1) if text.startswith("def test_alone("))
    assert places_of(course, "suite", "ValueError: no (test_alone and 2 more checks)") == [("tests/hidden/test_rms.py", line)]


def test_a_line_without_a_place_joins_the_one_before(course: Course) -> None:
    lines = ("no-root, seed 0: not recognised.", "no-upcast, seed 0: not recognised.", "Run `normgrade verify rms` to see all of it.")
    found = problems_in(report("named", "\n".join(lines)), course)
    assert [problem.text.splitlines() for problem in found] == [[lines[0]], [*lines[1:]]]


def test_problems_of_one_place_are_one(course: Course) -> None:
    lines = "einsum.py, seed 0: test_rows[shape0] failed", "reference.py, seed 0: a", "einsum.py, seed 1: test_alone failed"
    found = problems_in(report("right", "\n".join(lines)), course)
    assert [problem.text.splitlines() for problem in found] == [[lines[0], lines[2]], [lines[1]]]


def test_proofs_that_hold_have_no_problem(tiny: Course) -> None:
    check = Check("stub", "A claim.", Kind.PROOF, Outcome.SKIPPED, 1, message="undecided")
    skipped = Report("rms", "rms", Outcome.FAILED, possible=1, sandbox="none", seed=0, duration_s=0.0, checks=(check,))
    assert problems_in(skipped, tiny) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_real_proofs_lead_to_their_places(language: str, edited_course: EditedCourse, tiny: Course, expectations: object) -> None:
    source = (tiny.root / RMS / "reference.py").read_text(encoding="utf-8")
    mistakes = (tiny.root / RMS / "mistakes.toml").read_text(encoding="utf-8")
    same = '[same]\nsays = "Nothing."\nedit = [["mean_square + eps", "eps + mean_square"]]\n'
    course = edited_course(
        {
            f"{RMS}/alternatives/bad.py": source.replace("mean_square + eps", "mean_square + 2 * eps"),
            f"{RMS}/mistakes.toml": f"{mistakes}\n{same}",
            "exercises/rms/exercise.toml": [("points = 8", "points = 9")],
        }
    )
    speak(language)
    [found] = verify([course.exercise("rms")])
    at = {problem.proof.name: (problem.path.relative_to(course.root).as_posix(), problem.line) for problem in problems_in(found, course)}
    assert at == {
        "points": ("tests/hidden/test_rms.py", 1),
        "right": (f"{RMS}/alternatives/bad.py", 1),
        "wrong": (f"{RMS}/mistakes.toml", mistakes.count("\n") + 2),
    }
