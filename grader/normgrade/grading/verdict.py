"""The verdict on the submission or on the suite after a test was played, and the check that reports it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from normgrade.compare.played import Played, Result
from normgrade.language import _
from normgrade.language.errors import CourseError, GraderError
from normgrade.report.report import Check, Difference, Outcome
from normgrade.suite.blame import BrokenSuite, said_by
from normgrade.suite.suite import HiddenTest
from normgrade.suite.vocabulary import Disagreement


class Verdict(NamedTuple):
    """The outcome of a test, and the reason. `wrong` is the play that decided, if one did."""

    outcome: Outcome
    message: str = ""
    differences: tuple[Difference, ...] = ()
    wrong: Played | None = None


PASSED = Verdict(Outcome.PASSED)


def judged(error: BaseException, plays: Sequence[Played]) -> Verdict:
    """Return the verdict for an exception in a test. If a play differs, the exception counts against the submission, not the suite."""
    match error:
        case Disagreement():
            return Verdict(Outcome.FAILED, error.message, error.differences, error.play)
        case AssertionError() | pytest.fail.Exception():
            return Verdict(Outcome.FAILED, str(error) or _("the claim does not hold"))
        case pytest.skip.Exception():
            return Verdict(Outcome.SKIPPED, str(error))
        case GraderError() | MemoryError():
            raise error
        case _ if not isinstance(error, Exception):  # an interrupt, or an exit: the grader's own
            raise error
        case CourseError():
            return Verdict(Outcome.ERROR, str(error))
        case Exception() if not isinstance(error, BrokenSuite) and (found := wrong_in(plays)):
            return Verdict(Outcome.FAILED, _("the observed result cannot be judged: {error}", error=said_by(error)), found)
        case _:
            return Verdict(Outcome.ERROR, _("the suite is broken, not your code: {error}", error=said_by(error)))


def wrong_in(plays: Sequence[Played]) -> tuple[Difference, ...]:
    """Return the differences of the first play that has any."""
    return next(filter(None, (play.differences for play in plays)), ())


def result(test: HiddenTest, plays: Sequence[Played], verdict: Verdict, duration_s: float) -> Result:
    failed = verdict.outcome is Outcome.FAILED
    check = Check(
        name=test.name,
        claim=test.claim,
        kind=test.kind,
        outcome=verdict.outcome,
        points=test.points,
        duration_s=duration_s,
        message=verdict.message,
        hint=test.hint if failed else "",
        stdout="".join(dict.fromkeys(play.observation.stdout for play in plays)),
        differences=verdict.differences,
        lines=lines_raised(plays) if failed else (),
        courtesy=test.courtesy,
    )
    return Result(check, tuple(plays), verdict.wrong)


def lines_raised(plays: Sequence[Played]) -> tuple[int, ...]:
    """Return the lines of the submission that raised an exception when they should not have."""
    unexpected = [play.observation.error for play in plays if play.refusal is None and play.observation.error is not None]
    return tuple(dict.fromkeys(frame.line for error in unexpected for frame in error.frames))
