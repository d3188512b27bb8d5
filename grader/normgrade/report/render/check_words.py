"""The words about one check: its message, its differences, the mistake that explains it, its hint."""

from __future__ import annotations

from collections.abc import Iterator

from normgrade.language import _
from normgrade.report.render.wording import bounded, claim_of, difference_in_words, names_of, one_line, pointed_at, what_it_is
from normgrade.report.report import Check, Report

PRINTED_LINES = 20


def case_of(check: Check) -> str:
    """Return the claim of a check, and its parameters if the claim is checked in several cases."""
    _stem, bracket, parameters = one_line(check.name).partition("[")
    return f"{claim_of(check)} {bracket}{parameters}" if bracket and check.claim.strip() else claim_of(check)


def details_of(report: Report, check: Check) -> Iterator[str]:
    """Yield the lines that tell why a check did not pass, as far as the report reveals it, with the whole diagnosis."""
    yield from failure_of(check)
    for diagnosis in report.diagnoses:
        if check.name in diagnosis.checks:
            yield _("Diagnosis: {names}: {says}", names=names_of(diagnosis), says=one_line(diagnosis.says))
            yield from (f"  {line}" for spot in diagnosis.spots for line in pointed_at(spot))
    if check.hint:
        yield _("Hint: ") + one_line(check.hint)


def in_short(report: Report, check: Check) -> Iterator[str]:
    """Yield the same lines where the diagnosis stands elsewhere, with the call that failed and the output of the submission.

    A hint names the usual cause, so it is left out if a diagnosis names the actual one.
    """
    if check.call:
        yield _("The call: {call}", call=one_line(check.call))
    yield from failure_of(check)
    if explained := [diagnosis for diagnosis in report.diagnoses[:1] if check.name in diagnosis.checks]:
        yield _("explained by: {names}", names=names_of(explained[0]))
    elif check.hint:
        yield _("Hint: ") + one_line(check.hint)
    if check.stdout.strip():
        yield _("your code printed:")
        yield from (f"  {line}" for line in bounded(check.stdout, PRINTED_LINES).split("\n"))


def failure_of(check: Check) -> Iterator[str]:
    """Yield the message of a check, and its differences with their likenesses."""
    if check.message:
        yield check.message
    for difference in check.differences:
        yield _(": ").join((what_it_is(difference), difference_in_words(difference)))
        if difference.looks_like:
            yield "  " + _("looks like: {words}", words=one_line(difference.looks_like))
