"""Built-in mistakes of forms, and the known mistakes that are named instead of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from thorough import all_or

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.diagnosis.forms import in_words
from normgrade.grading.grade import Submission, grade
from normgrade.report.report import FLOAT64_NARROWED, HALF_PRECISION, Outcome, Report

RMS = """
import torch
from torch import nn

class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        scale = (h.square().mean(-1, keepdim=True) + self.eps).rsqrt()
        return (h * scale * self.weight).to(x.dtype)
"""
NARROW = ("h = x.to(torch.promote_types(x.dtype, torch.float32))", "h = x")
UNKNOWN = ("(h.square()", "(1.23456 * h.square()")  # a factor that no known mistake has, and that the search does not try either
ELSEWHERE = ("(h.square()", "((1.23456 if x.ndim > 3 else 1) * h.square()")  # the same, but only in a few claims
PLAIN = ("(h.square()", "(1.25 * h.square()")  # a factor that the search tries
NARROWED = ("x.to(torch.promote_types(x.dtype, torch.float32))", "x.float()")
CRASH_IN_HALF = ("return (h", "torch.zeros(1, dtype=x.dtype).lerp_(h.mean(), 0.1) if x.dtype == torch.float16 else h\n        return (h")
LEADING = ("return (h * scale * self.weight).to(x.dtype)", "return (h * scale * self.weight).to(x.dtype)[None]")
IN_PLACE = (
    "return (h * scale * self.weight).to(x.dtype)",
    "y = (h * scale * self.weight).to(x.dtype)\n        x.data.mul_(1.5)\n        return y",
)

CASES: dict[str, tuple[list[tuple[str, str]], set[str]]] = {
    "half precision as it comes": ([NARROW], {"no-upcast"}),
    "a changed input, beside what nobody knows": ([IN_PLACE, ELSEWHERE], {"input-left-changed"}),
    "float64 narrowed, beside what nobody knows": ([NARROWED, ELSEWHERE], {"float64-in-float32"}),
    "a crash in half precision": ([CRASH_IN_HALF], {"crash"}),
    "a form that explains nothing": ([LEADING, UNKNOWN], set()),
    "nothing of all that": ([UNKNOWN], set()),
    "half precision, beside what is found on the way": ([NARROW, PLAIN], {"no-upcast", "unlisted-mistake"}),
}
PLAYED = all_or(4, CASES)


@pytest.mark.parametrize("name", [HALF_PRECISION, FLOAT64_NARROWED])
def test_the_first_sentence_has_the_line_that_works(name: str) -> None:
    says = in_words(name, "")
    assert says.endswith("`x.astype(np.promote_types(x.dtype, np.float32))`.") and ". " not in says
    assert "`x.to(torch.promote_types(x.dtype, torch.float32))`" in says and "must" not in says


@pytest.fixture(scope="module")
def reports(expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    folder, exercise, submissions = tmp_path_factory.mktemp("forms"), Course(carried()).exercise("rms_norm"), []
    for number, (edits, _) in enumerate(map(CASES.__getitem__, PLAYED)):
        source = RMS
        for old, new in edits:
            assert source.count(old) == 1
            source = source.replace(old, new)
        path = folder / f"{number}.py"
        path.write_text(source, encoding="utf-8")
        submissions.append(Submission(exercise, path, path.name))
    return dict(zip(PLAYED, grade(submissions), strict=True))


@pytest.mark.parametrize("case", PLAYED)
def test_a_form_is_found_beside_any_other_mistake(case: str, reports: dict[str, Report]) -> None:
    report = reports[case]
    assert report.outcome is Outcome.FAILED
    assert {name for diagnosis in report.diagnoses[:1] for name in diagnosis.mistakes} == CASES[case][1]
