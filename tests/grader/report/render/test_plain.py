"""Tests of a report as plain lines."""

from __future__ import annotations

from dataclasses import replace

from sample_reports import ASKED, BIASED, BROKEN, FAILED, FOUND, NOT_STARTED, PASSED, SPOT, failed, report

from normgrade.report.render.plain import plain
from normgrade.report.report import Raised

RAISED = Raised("ValueError: no", 4, 5, 3, "    raise", "forward", "Check the shape.")


def test_mistake_has_its_text_its_line_and_its_reach() -> None:
    granted = replace(FAILED, diagnoses=(replace(BIASED, spots=(SPOT,)),), granted=12)
    assert plain([granted]) == (
        "batch_norm: 12 of 14 points, not passed\n"
        "1 mistake (−2); counted by claims: 4\n"
        "biased-running-variance explains the failing claim, costs 2 points\n"
        "running_var is updated with the biased variance. Multiply by n / (n − 1).\n"
        "  19 │ var = h.var(dims)\n"
        "     │         ^^^ pass correction=1"
    )


def test_several_reports_have_an_empty_line_between_them() -> None:
    assert plain([PASSED, replace(PASSED, submission="anna/layer_norm.py")]) == (
        "layer_norm: 4 of 4 points, passed\n\nlayer_norm · anna/layer_norm.py: 4 of 4 points, passed"
    )


def test_findings_have_their_place_and_source() -> None:
    assert plain([FOUND]) == (
        "batch_norm: 0 of 20 points, not passed\n"
        "12:16 banned: F.batch_norm is banned: write it by hand\n"
        "      return F.batch_norm(x)\n"
        "             ^^^^^^^^^^^^^^^"
    )


def test_exception_has_its_line_and_advice() -> None:
    crashed = report(failed(differences=(), message="ValueError: no", raised=RAISED), seed=7)
    assert plain([crashed]).split("\n")[1:] == [
        "ValueError: no",
        "  4 │ raise",
        "    │ ^^^",
        "Check the shape.",
        "Seed 7: use `--seed 7` to draw the same inputs again.",
    ]


def test_reports_without_a_verdict_tell_the_next_step() -> None:
    assert plain([NOT_STARTED]).split("\n")[1].startswith("rms_norm is not started. Run `normgrade show rms_norm`")
    assert plain([BROKEN]).split("\n")[1].startswith("Show this report to the maintainer of the course.")
    assert plain([ASKED]).split("\n")[1] == "not required to pass: Other ranks are ValueErrors."
