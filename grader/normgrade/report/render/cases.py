"""The checks of a claim: its parametrised cases taken together, and the words about one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from normgrade.language import _
from normgrade.report.render.wording import (
    LINES,
    bounded,
    claim_of,
    difference_in_words,
    names_of,
    one_line,
    pointed_at,
    what_it_is,
    word_of,
)
from normgrade.report.report import Check, Kind, Outcome, Report

NAMED = 6  # other cases with the same outcome
GRAVITY = (Outcome.ERROR, Outcome.FAILED, Outcome.SKIPPED, Outcome.PASSED)


@dataclass(frozen=True, slots=True)
class Cases:
    """The checks of one test, in their order."""

    stem: str  # the test's name without its parameters
    checks: tuple[Check, ...]

    @property
    def shown(self) -> Check:
        """The first case with the worst outcome; claim, kind and message are taken from it."""
        return min(self.checks, key=lambda check: GRAVITY.index(check.outcome))

    @property
    def outcome(self) -> Outcome:
        return self.shown.outcome

    @property
    def shown_as(self) -> Outcome:
        """The outcome whose mark is shown."""
        return self.shown.shown_as

    @property
    def word(self) -> str:
        """The outcome in the current language."""
        return _("not required") if self.shown.asked_in_vain else word_of(self.outcome)

    def ended(self, outcome: Outcome) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.outcome is outcome)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The failed cases of which the course reveals something."""
        ended = (*self.ended(Outcome.ERROR), *self.ended(Outcome.FAILED))
        return tuple(check for check in ended if check.message.strip() or check.differences or check.stdout.strip())

    def first_failures(self, most: int) -> Iterator[tuple[str, Check]]:
        """Yield so many of the failed cases, each with its name; the remaining ones are named with the last."""
        failed = self.failures
        for number, check in enumerate(failed[:most], 1):
            yield which_cases(self.stem, failed[number - 1 :] if number == most else [check]), check

    @property
    def claim(self) -> str:
        return claim_of(self.shown) if self.shown.claim.strip() else self.stem

    @property
    def kind(self) -> Kind:
        return self.shown.kind

    @property
    def holding(self) -> int:
        return len(self.ended(Outcome.PASSED))

    @property
    def earned(self) -> int:
        return sum(check.earned for check in self.checks)

    @property
    def points(self) -> int:
        return sum(check.points for check in self.checks)


def grouped(checks: Sequence[Check]) -> tuple[Cases, ...]:
    """Return the checks by test, in the order in which each test first appears."""
    groups: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        groups.setdefault((stem_of(check), check.claim), []).append(check)
    return tuple(Cases(stem, tuple(group)) for (stem, _), group in groups.items())


def stem_of(check: Check) -> str:
    return one_line(check.name).partition("[")[0]


def which_cases(stem: str, checks: Sequence[Check]) -> str:
    """Return the name of the case that is shown, and those of the others with the same outcome."""
    shown, *others = (one_line(check.name) for check in checks)
    names = [name.removeprefix(stem) for name in others[:NAMED]]
    more = [_("{n} more", n=len(others) - NAMED)] if len(others) > NAMED else []
    return " · ".join((shown, _("also {cases}", cases=", ".join(names + more)))) if others else shown


# The words about one check


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
        yield from (f"  {line}" for line in bounded(check.stdout, LINES).split("\n"))


def failure_of(check: Check) -> Iterator[str]:
    """Yield the message of a check, and its differences with their likenesses."""
    if check.message:
        yield check.message
    for difference in check.differences:
        yield _(": ").join((what_it_is(difference), difference_in_words(difference)))
        if difference.looks_like:
            yield "  " + _("looks like: {words}", words=one_line(difference.looks_like))
