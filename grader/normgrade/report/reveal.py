"""Cuts of a report to the level that a course reveals: everything, the claims, or only the score."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from normgrade.report.report import Check, Report


def reveal(report: Report, level: Literal["full", "claims", "score"]) -> Report:
    """Return the report as far as the level of the course reveals it.

    "full" keeps everything, "claims" keeps claims, outcomes and diagnoses, "score" keeps outcome and score. Findings always stay,
    because they are about the learner's own source and the public contract.
    """
    if level == "full":
        return report
    if level == "claims":
        return replace(report, checks=tuple(map(without_values, report.checks)))
    return replace(report, checks=(), diagnoses=(), unexplained=(), deaths=(), limits=(), withheld=report.earned)


def claims_alone(report: Report) -> Report:
    """Return the report without any help, as in an interview: with claims and outcomes, and only with the points of the claims."""
    return replace(reveal(report, "claims"), diagnoses=(), unexplained=(), granted=0, stopped_after_s=None, searching=False)


def without_values(check: Check) -> Check:
    """Return the check without messages, hints, printed output and differences, which may all hold values."""
    return replace(check, message="", hint="", stdout="", differences=(), lines=(), call="", raised=None)
