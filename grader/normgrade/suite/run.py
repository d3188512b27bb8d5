"""Plays hidden tests on one submission, and judges what comes of each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from normgrade.compare.played import Played, Result
from normgrade.course.course import Exercise
from normgrade.language import _
from normgrade.language.errors import CourseError, GraderError
from normgrade.oracle.expectation import Oracle
from normgrade.report.report import Check, Difference, Kind, Outcome
from normgrade.suite.collection import HiddenTest, Suite
from normgrade.suite.vocabulary import BrokenSuite, Disagreement, Player, Playing, playing
from normgrade.worker import interrupts


class Verdict(NamedTuple):
    """What became of a test, and why; `wrong` is the play that decided, where one did."""

    outcome: Outcome
    message: str = ""
    differences: tuple[Difference, ...] = ()
    wrong: Played | None = None


PASSED = Verdict(Outcome.PASSED)


@dataclass
class Run:
    """One submission on its way through one suite, test by test. Once an interface check has failed, the others are skipped."""

    player: Player
    oracle: Oracle
    exercise: Exercise
    reference: str
    seed: int = 0
    unusable: bool = False

    def results(self, suite: Suite) -> Iterator[Result]:
        """Every test's result, one after the other; a caller that has seen enough stops."""
        return map(self.play, suite.tests)

    def play(self, test: HiddenTest) -> Result:
        interrupts.raise_again()
        check = Playing(self.player, self.oracle, self.exercise, self.reference, self.seed, test.name)
        started = time.perf_counter()
        verdict = self.verdict(test, check)
        self.unusable |= test.kind is Kind.INTERFACE and verdict.outcome is Outcome.FAILED
        return result(test, check.plays, verdict, time.perf_counter() - started)

    def verdict(self, test: HiddenTest, check: Playing) -> Verdict:
        if self.unusable and test.kind is not Kind.INTERFACE:
            return Verdict(Outcome.SKIPPED, _("it needs what an interface check found broken"))
        token = playing.set(check)
        try:
            test()
        except BaseException as error:
            return judged(error, check.plays)
        finally:
            playing.reset(token)
        return PASSED


def judged(error: BaseException, plays: Sequence[Played]) -> Verdict:
    """What an exception in a test says: of the submission, or of the suite. A test that stumbles over what differs speaks of the former."""
    what = f"{type(error).__name__}: {error}"
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
            return Verdict(Outcome.FAILED, _("what was observed cannot be judged: {error}", error=what), found)
        case _:
            return Verdict(Outcome.ERROR, _("the suite is broken, not your code: {error}", error=what))


def wrong_in(plays: Sequence[Played]) -> tuple[Difference, ...]:
    """The differences of the first play that has any."""
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
    )
    return Result(check, tuple(plays), verdict.wrong)


def lines_raised(plays: Sequence[Played]) -> tuple[int, ...]:
    """The lines of the submission in which it raised what it should not have."""
    unexpected = [play.observation.error for play in plays if play.refusal is None and play.observation.error is not None]
    return tuple(dict.fromkeys(frame.line for error in unexpected for frame in error.frames))
