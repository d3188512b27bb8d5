"""Tests of answers of a course: reports on single ones, idle ones, and alternatives that agree against the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.course.signature import Signature
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language.errors import UsageError
from normgrade.language.places import Place
from normgrade.report.report import ArrayDifference, Check, Kind, Numbers, Outcome, Report
from normgrade.verify.course_answers import agree_against_the_reference, close_up, idle, idle_answers, idle_problems

pytestmark = pytest.mark.usefixtures("expectations")


def test_mistake_is_reported_as_to_a_learner(tiny: Course) -> None:
    [report] = close_up(tiny.exercise("rms"), "eps-outside-root", None, (0,))
    assert (report.submission, report.outcome, report.possible, report.earned) == ("eps-outside-root", Outcome.FAILED, 8, 4)
    assert [diagnosis.mistakes for diagnosis in report.diagnoses] == [("eps-outside-root",)]


def test_every_seed_has_a_report(tiny: Course) -> None:
    reports = close_up(tiny.exercise("rms"), None, "einsum", (0, 3), Options(only="test_alone"))
    assert [(report.submission, report.seed) for report in reports] == [("solutions/rms/alternatives/einsum.py", seed) for seed in (0, 3)]
    assert {(report.outcome, report.earned, report.possible) for report in reports} == {(Outcome.PASSED, 2, 2)}


def test_without_a_name_all_right_answers_are_reported(tiny: Course) -> None:
    reports = close_up(tiny.exercise("rms"), None, None, (0,), Options(only="test_rows*"))
    assert [report.submission for report in reports] == ["solutions/rms/reference.py", "solutions/rms/alternatives/einsum.py"]
    assert {tuple(check.name for check in report.checks) for report in reports} == {("test_rows[shape0]", "test_rows[shape1]")}


def test_wrong_answers_can_be_named_too(edited_course: Callable[..., Course]) -> None:
    twice = '[wrong.twice]\nwhat = "eps counts twice"\nedit = [["mean_square + eps", "mean_square + 2 * eps"]]\n'
    exercise = edited_course({"solutions/rms/mistakes.toml": twice}).exercise("rms")
    [report] = close_up(exercise, "twice", None, (0,), Options(only="test_rows"))
    assert report.outcome is Outcome.FAILED
    with pytest.raises(UsageError, match='rms has no mistake named "thrice"'):
        close_up(exercise, "thrice", None, (0,))


# Answers that compute nothing

LAYER = """class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        raise NotImplementedError

    def forward(self, x):
        return self.helper(x)

    def helper(self, x):
        return x * 2"""
OF_THE_LAYER = LAYER.replace("        raise NotImplementedError\n", "").replace("return self.helper(x)", "return {}")
OF_ITSELF = "class Norm(nn.Module):\n\n    def forward(self):\n        return {}"
PAIR = "def norm(x, eps: float=1) -> tuple[A, B]:\n    return {}"


@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        (LAYER, "{x}", OF_THE_LAYER.format("x")),
        (LAYER, "{library}.ones_like({x})", OF_THE_LAYER.format("torch.ones_like(x)")),
        (OF_ITSELF.format("self.v"), "{x}", OF_ITSELF.format("next(self.parameters())")),
        (PAIR.format("x, x"), "{x} + 0", PAIR.format("(x + 0,) * 2")),
        ("def norm(x) -> tuple[A]:\n    return 1", "{x}", "def norm(x) -> tuple[A]:\n    return (x,) * 1"),
        ("def norm(model) -> None:\n    model()", "{x}", "def norm(model) -> None:\n    return None"),
        ("def other(x):\n    return x * 2", "{x}", "def other(x):\n    return x * 2"),
    ],
)
def test_functions_of_the_contract_give_back_a_value(source: str, value: str, expected: str, tiny: Course) -> None:
    exercise = replace(tiny.exercise("rms"), defines=(Signature.parse("Norm(dim)"), Signature.parse("norm(x)")))
    lines = [line for line in idle(exercise, source, value).splitlines() if line.strip() and not line.strip().startswith("import ")]
    assert lines == [line for line in expected.splitlines() if line.strip()]


@pytest.mark.parametrize("slug", Course(carried()).slugs)
def test_every_exercise_has_idle_answers(slug: str) -> None:
    found = dict(idle_answers(Course(carried()).exercise(slug)))
    assert len(found) == 5
    for name, source in found.items():
        compile(source, name, "exec", dont_inherit=True)
        assert "return" in source and "raise NotImplementedError" not in source


def test_answers_that_earn_more_are_told(tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = tiny.exercise("centring")
    with open_grader([exercise], Options()) as grader:
        assert [*idle_problems(grader, exercise)] == []
        monkeypatch.setattr(Report, "earned", property(lambda report: report.possible // 10 + report.submission.count("zeros")))
        assert [*idle_problems(grader, exercise)] == ["reference.py, return torch.zeros_like(…): 2 of 10 points."]


# Alternatives that agree


def rejected(actual: float, place: str = "result", check: str = "test_x") -> list[Result]:
    """Return the results of an answer that has this wrong number at one place."""
    numbers = Numbers(np.array([1.0]), np.array([actual]), np.array([1e-6]))
    difference = ArrayDifference(
        place=Place(place),
        dtype="float32",
        shape=(1,),
        mismatched=1,
        total=1,
        max_abs=1.0,
        max_rel=1.0,
        allowed=1e-6,
        at=(0,),
        expected=1.0,
        actual=actual,
        numbers=numbers,
    )
    return [Result(Check(check, "It holds.", Kind.FORMULA, Outcome.FAILED, 1, differences=(difference,)), ())]


def agree(tmp_path: Path, tiny: Course, *answers: list[Result], alternatives: int | None = None) -> bool:
    exercise = tiny.exercise("rms")
    paths = [exercise.alternatives[0].with_name(f"{number}.py") for number in range(len(answers))]

    class Exercise:
        """An exercise with one alternative for each answer."""

        alternatives = paths

    return agree_against_the_reference(Exercise(), dict(zip(paths[:alternatives], answers, strict=False)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("others", "alike"),
    [
        ([rejected(2.0)], True),
        ([rejected(2.0 + 1e-6)], True),
        ([rejected(2.0), rejected(2.0)], True),
        ([rejected(2.1)], False),
        ([rejected(2.0), rejected(2.1)], False),
        ([rejected(2.0, place="weight")], False),
        ([rejected(2.0, check="test_y")], False),
        ([], False),  # a single alternative may be as wrong as the reference
    ],
)
def test_alternatives_that_give_the_same_numbers_agree(others: list[list[Result]], alike: bool, tmp_path: Path, tiny: Course) -> None:
    assert agree(tmp_path, tiny, rejected(2.0), *others) is alike


def test_alternatives_do_not_agree_if_one_passes(tmp_path: Path, tiny: Course) -> None:
    assert not agree(tmp_path, tiny, rejected(2.0), rejected(2.0), [], alternatives=2)
