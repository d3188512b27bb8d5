"""Tests of a class's standing at an exercise: points, claims, mistakes, and lines that nobody signs."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sample_reports as reports
from kept_results import result

from normgrade.classes.gradebook import Mark
from normgrade.classes.overview import Bar, Mistake, Standing, anonymous
from normgrade.report.report import Outcome, Report

SPOTTED = replace(reports.BIASED, spots=(reports.SPOT,))


def standing(*told: tuple[str, int, Report | None]) -> Standing:
    """Return the standing of students with their points and reports."""
    made = Standing("batch_norm")
    for student, points, report in told:
        made.add(Mark(student, "batch_norm", result(student, earned=points)), report, "")
    return made


def spotted(text: str) -> Report:
    return replace(reports.FAILED, diagnoses=(replace(SPOTTED, spots=(replace(reports.SPOT, text=text),)),))


def test_points_are_summed_up() -> None:
    made = standing(("A", 14, reports.FAILED), ("B", 4, reports.FAILED), ("C", 8, reports.PASSED), ("D", 0, None))
    assert (len(made.points), made.graded, made.passed, made.possible) == (4, 3, 1, 14)
    assert (made.median, made.quartiles) == (6, (3, 9.5))


@pytest.mark.parametrize(("points", "median", "quartiles"), [((), 0, (0, 0)), ((7,), 7, (7, 7))])
def test_few_students_have_quartiles_too(points: tuple[int, ...], median: float, quartiles: tuple[float, float]) -> None:
    made = standing(*((str(each), each, reports.FAILED) for each in points))
    assert (made.median, made.quartiles) == (median, quartiles)


def test_all_points_have_a_bar_of_their_own() -> None:
    made = standing(*((str(number), points, replace(reports.PASSED, possible=3)) for number, points in enumerate((0, 2, 2, 3, 9))))
    assert made.bars == [Bar(0, 1, 1), Bar(1, 2, 0), Bar(2, 3, 2), Bar(3, 3, 2)]


def test_many_points_share_bars() -> None:
    bars = standing(("A", 19, replace(reports.PASSED, possible=20)), ("B", 20, reports.PASSED)).bars
    assert len(bars) == 11 and bars[9:] == [Bar(18, 20, 1), Bar(20, 20, 1)]


def test_claims_are_counted_per_student() -> None:
    holds = replace(reports.FAILED, checks=tuple(replace(check, outcome=Outcome.PASSED) for check in reports.FAILED.checks[:3]))
    made = standing(("A", 4, reports.FAILED), ("B", 14, holds), ("C", 0, reports.report()))
    [claim] = made.failing_claims
    assert (claim.text, claim.failing, claim.asked, claim.share) == (reports.STATISTICS, 1, 2, 0.5)
    assert [claim.text for claim in made.claims.values()] == ["The output is normalised.", reports.STATISTICS]


def test_mistakes_have_the_commonest_line() -> None:
    made = standing(
        *((name, 4, spotted(line)) for name, line in zip("ABC", ("v = x.var()  # mine", "v = h.var(0)", "  v = x.var()"), strict=True))
    )
    says = "running_var is updated with the biased variance."
    assert [*made.commonest] == [Mistake("biased-running-variance", says, 3, "v = x.var()")]


def test_findings_are_counted_per_student() -> None:
    made = standing(("A", 0, reports.report(findings=(reports.BANNED, reports.BANNED))), ("B", 0, reports.report()))
    assert made.rules == {"banned": 1}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("    var = h.var(dims)  # Anna's", "var = h.var(dims)"),
        ("# Anna Li 4711", ""),
        ("anna_norm(x)", ""),
        ("x = by(ANNA)", ""),
        ("x = 4711", ""),
        ("name = 'somebody'", ""),
        ('f(x, "a # b")', ""),
        ("x" * 161, ""),
        ("li = x\t+ 1", ""),
        ("lin = x\t+ 1", "lin = x + 1"),
    ],
)
def test_a_line_does_not_tell_whose_it_is(text: str, line: str) -> None:
    assert anonymous(text, ["Anna Li", "4711"]) == line


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("王伟", ["wide_王伟 = x", "王伟norm(x)"]),
        ("李 娜", ["wide_李 = x", "李娜(x)", "x娜 = 1"]),
        ("Li Wu", ["li = x", "norm_wu(x)", "LiWuNorm(x)"]),
        ("Bo X. Orr", ["bo_norm(x)"]),
    ],
)
def test_short_names_are_names(name: str, lines: list[str]) -> None:
    assert [anonymous(line, [name, ""]) for line in lines] == [""] * len(lines)
    assert anonymous("wide = x.mean(-1)", [name, ""]) == "wide = x.mean(-1)"
