"""What a course reveals of a report: everything, the claims, or the score alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from normgrade.report.report import Check, Report


def reveal(report: Report, level: Literal["full", "claims", "score"]) -> Report:
    """The report without what the course keeps to itself.

    "full" keeps everything, "claims" keeps claims, outcomes and diagnoses, "score" keeps outcome and score. Findings always stay: they
    are about the learner's own source and the public contract.
    """
    if level == "full":
        return report
    if level == "claims":
        return replace(report, checks=tuple(map(without_values, report.checks)))
    return replace(report, checks=(), diagnoses=(), unexplained=(), deaths=(), limits=(), withheld=report.earned)


def claims_alone(report: Report) -> Report:
    """The report with claims and outcomes, and with no more points than those of the claims: it helps with nothing, as in an interview."""
    return replace(reveal(report, "claims"), diagnoses=(), unexplained=(), granted=0, stopped_after_s=None, searching=False)


def without_values(check: Check) -> Check:
    """The check without messages, hints, printed output and differences, which may all hold values."""
    return replace(check, message="", hint="", stdout="", differences=(), lines=(), call="", raised=None)
