"""Reports that display themselves, as a picture and as text."""

from __future__ import annotations

import re

import pytest

from normgrade.notebook.graded import Graded
from normgrade.report.render.terminal import render_text
from normgrade.report.report import Check, Kind, Outcome, Report

FAILED = Check("test_a", "The claim.", Kind.FORMULA, Outcome.FAILED, 1, message="It does not hold.")


def report(outcome: Outcome) -> Report:
    checks = () if outcome is Outcome.PASSED else (FAILED,)
    return Report("rms", "cell", outcome, 3, "linux", 0, 0.0, checks=checks, source="x = 1")


def test_a_report_shown_twice_has_distinct_ids() -> None:
    graded = Graded((report(Outcome.FAILED),))
    page = graded._repr_html_() + graded._repr_html_()
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 0
    assert set(re.findall(r'\shref="#([^"]+)"', page)) <= set(ids)


def test_as_text_it_omits_the_options_for_more() -> None:
    in_terminal, here = render_text([report(Outcome.FAILED)]), repr(Graded((report(Outcome.FAILED),)))
    assert "-v" in in_terminal and "-v" not in here
    assert in_terminal.startswith(here) and "not passed" in here


def test_the_lines_after_a_pass_are_at_the_bottom() -> None:
    graded = Graded((report(Outcome.PASSED),), ("Passed at the first attempt.", "`normgrade show <b>` is next."))
    below = "<p>Passed at the first attempt.<br><code>normgrade show &lt;b&gt;</code> is next.</p></div>"
    assert graded._repr_html_().endswith(below)
    assert repr(graded).endswith("\nPassed at the first attempt.\n`normgrade show <b>` is next.")


@pytest.mark.parametrize(
    ("outcomes", "passed"),
    [((Outcome.PASSED,), True), ((Outcome.PASSED, Outcome.FAILED), False), ((Outcome.NOT_STARTED,), False)],
)
def test_it_passed_if_all_reports_did(outcomes: tuple[Outcome, ...], passed: bool) -> None:
    assert Graded(tuple(map(report, outcomes))).passed == passed
