"""Tests of idle answers: what they give back, and the proof that they earn next to nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.course.signature import Signature
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.report.report import Report
from normgrade.verify.idle_answers import idle, idle_answers, idle_problems

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


@pytest.mark.usefixtures("expectations")
def test_answers_that_earn_more_are_told(tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = tiny.exercise("centring")
    with open_grader([exercise], Options()) as grader:
        assert [*idle_problems(grader, exercise)] == []
        monkeypatch.setattr(Report, "earned", property(lambda report: report.possible // 10 + report.submission.count("zeros")))
        assert [*idle_problems(grader, exercise)] == ["reference.py, return torch.zeros_like(…): 2 of 10 points."]
