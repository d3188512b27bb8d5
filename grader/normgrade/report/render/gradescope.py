"""Reports as `results.json` of Gradescope: one test for each check, and the diagnosis above them.

The total is given at the top, because a diagnosis may grant more points than the claims that hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from normgrade import __version__
from normgrade.language import _
from normgrade.report.render.check_words import case_of, in_short
from normgrade.report.render.json import dumped, readable, to_milliseconds
from normgrade.report.render.plain import finding_lines, plain
from normgrade.report.render.summary import verdict
from normgrade.report.render.wording import asked_as_well, one_line, titled, word_of
from normgrade.report.report import Check, Finding, Outcome, Report

TEXT = "text"  # shown as it is: without a format, Gradescope reads the output at the top as HTML
LARGEST = 20_000  # characters of the output of one test


def render_gradescope(reports: Sequence[Report]) -> str:
    """Return all reports as one `results.json`. If there are several, each name begins with the exercise."""
    several = len(reports) > 1
    content = {
        "extra_data": {"normgrade": __version__, "reports": [facts_of(report) for report in reports]},
        "score": sum(report.earned for report in reports),
        "execution_time": to_milliseconds(sum(report.duration_s for report in reports)),
        "output": plain(reports),
        "output_format": TEXT,
        "test_output_format": TEXT,
        "test_name_format": TEXT,
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [named(report, test) if several else test for report in reports for test in tests_of(report)],
    }
    return dumped(readable(content))


def facts_of(report: Report) -> dict[str, Any]:
    """Return the facts that answer a question about the points later on."""
    return {
        "exercise": one_line(report.exercise),
        "submission": one_line(report.submission),
        "digest": report.digest,
        "outcome": report.outcome.value,
        "earned": report.earned,
        "possible": report.possible,
        "seed": report.seed,
        "sandbox": one_line(report.sandbox),
        "lost": list(map(one_line, report.lost)),
        "mistakes": [one_line(mistake) for diagnosis in report.diagnoses[:1] for mistake in diagnosis.mistakes],
    }


def named(report: Report, test: dict[str, Any]) -> dict[str, Any]:
    """Return a test whose name begins with the exercise."""
    return {**test, "name": f"{one_line(report.exercise)}: {test['name']}"}


def tests_of(report: Report) -> Iterator[dict[str, Any]]:
    """Yield a test for each finding and for each check; one for the whole report if it has no checks."""
    yield from map(test_of_finding, report.findings)
    yield from (test_of_check(report, check) for check in report.checks)
    if not report.checks:
        passed = report.outcome is Outcome.PASSED
        yield test(titled(report), passed, verdict(report), score=report.earned, max_score=report.possible)


def test_of_finding(finding: Finding) -> dict[str, Any]:
    """Return a test without points for a fault in the source."""
    return test(word_of(finding.rule), False, "\n".join(finding_lines(finding)))


def test_of_check(report: Report, check: Check) -> dict[str, Any]:
    """Return a test with the points of a check. Its name is the claim."""
    name, points = case_of(check), {"score": report.points_of(check), "max_score": check.points}
    if check.asked_in_vain:
        name = asked_as_well(name)
    return test(name, check.outcome is Outcome.PASSED, "\n".join(in_short(report, check)), **points)


def test(name: str, passed: bool, output: str, **points: int) -> dict[str, Any]:
    """Return one entry of `tests`."""
    return {**points, "status": "passed" if passed else "failed", "name": name, "output": cut(output)}


def cut(output: str) -> str:
    """Return a text, with a notice if its end was left out."""
    return output if len(output) <= LARGEST else output[:LARGEST] + "\n" + _("… {n} more characters", n=len(output) - LARGEST)
