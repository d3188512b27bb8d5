"""The parametrised cases of one claim, taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from normgrade.language import _
from normgrade.report.render.wording import claim_of, one_line, word_of
from normgrade.report.report import Check, Kind, Outcome

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
