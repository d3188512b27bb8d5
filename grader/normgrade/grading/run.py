"""The run of hidden tests on one submission, and the verdict on each."""

from __future__ import annotations

import math
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from normgrade.compare.played import Played, PlayKey, Result
from normgrade.course.exercise import Exercise
from normgrade.grading.reference_run import ReferenceRun, ReferenceTest, failure
from normgrade.grading.verdict import PASSED, Verdict, judged, result
from normgrade.language import _
from normgrade.oracle.kept import request_key
from normgrade.report.report import Kind, Outcome
from normgrade.suite.blame import told_to_authors
from normgrade.suite.suite import HiddenTest, Suite
from normgrade.suite.vocabulary import Player
from normgrade.worker import interrupts
from normgrade.worker.wire.observation import Cause, Observation, Playable

HOPE = 8  # checks: all known mistakes that an interface check finds, except for one, come to the end of a play before


class Attempt(NamedTuple):
    """The result of playing a test: its plays, the exception that made it fail, the verdict, and the duration."""

    plays: Sequence[Played] = ()
    failed: BaseException | None = None
    verdict: Verdict = PASSED
    duration_s: float = 0.0


NOT_PLAYED = Attempt()


@dataclass
class Run:
    """The run of one submission through one suite, test by test.

    If an interface check is `broken`, because no call in it comes to its end, the other tests `ahead` are played until a call does: the
    submission may work for other inputs. This stops if no answer comes at all, or if no `hope` is left. If no call comes to its end, all
    tests except for the interface checks are skipped. Of a known mistake, only some `plays` are played: it is right in all others. None
    stands for all plays.
    """

    player: Player
    reference_run: ReferenceRun
    plays: Container[PlayKey] | None = None
    ahead: Sequence[HiddenTest] = ()
    broken: bool = False
    works: bool = False
    silent: bool = False
    hope: float = HOPE  # the number of checks that are still played while no play comes to its end
    attempts: dict[str, Attempt] = field(default_factory=dict, repr=False)  # at the tests ahead, by name

    @property
    def exercise(self) -> Exercise:
        return self.reference_run.exercise

    def results(self, suite: Suite) -> Iterator[Result]:
        """Yield the result of each test, one after the other. A caller that has seen enough may stop."""
        self.ahead = suite.tests
        return map(self.result_of, suite.tests)

    def result_of(self, test: HiddenTest) -> Result:
        """Return the result of a test, which is skipped if the submission is not usable."""
        if test.kind is not Kind.INTERFACE and not self.usable():
            plays, _failed, _verdict, duration_s = self.attempts.get(test.name, NOT_PLAYED)
            return result(test, plays, Verdict(Outcome.SKIPPED, _("it depends on an interface check that failed")), duration_s)
        plays, failed, verdict, duration_s = self.attempts.get(test.name) or self.attempt(test)
        if test.kind is Kind.INTERFACE and verdict.outcome is Outcome.FAILED:
            self.broken |= all(play.observation.error for play in plays)
        found = result(test, plays, verdict, duration_s)
        if verdict.outcome is not Outcome.ERROR or failed is None:
            return found
        return replace(found, broken=told_to_authors(failed, self.exercise, test))

    def usable(self) -> bool:
        """Return True if no interface check is broken, or if a call in any test comes to its end."""
        for test in self.ahead if self.broken else ():
            if self.works or self.silent or self.hope <= 0:
                break
            if test.kind is not Kind.INTERFACE and test.name not in self.attempts:
                self.attempts[test.name] = self.attempt(test)
        return self.works or not self.broken

    def attempt(self, test: HiddenTest) -> Attempt:
        """Play a test, and judge it."""
        interrupts.raise_again()
        started = time.perf_counter()
        plays, failed = self.played(test)
        self.works |= any(play.worked for play in plays)
        self.silent |= any(gone(play.observation) for play in plays)
        self.hope = math.inf if any(play.observation.error is None for play in plays) else self.hope - 1  # infinity stays
        verdict = PASSED if failed is None else judged(failed, plays)
        return Attempt(plays, failed, verdict, time.perf_counter() - started)

    def played(self, test: HiddenTest) -> tuple[Sequence[Played], BaseException | None]:
        """Play a test. Return its plays, and the exception that made it fail, or None."""
        known = self.reference_run.of(test)
        wanted = [self.plays is None or (test.name, number) in self.plays for number in range(len(known.asked))]
        answers = Answers(self.player, known, wanted)
        if not known.one_by_one:
            check = self.reference_run.check(test, answers)
            return check.plays, failure(test, check)
        failures = (failure(partial(asked.judge, play)) for asked, play in zip(known.asked, answers.plays, strict=False))
        return answers.plays, next(filter(None, failures), None)


class Answers:
    """The answers of a submission to the requests that the reference got in a test. Any other request is played on demand.

    `wanted` tells for each request if it is played. If not, the answer is known to be right.
    """

    def __init__(self, player: Player, known: ReferenceTest, wanted: Sequence[bool]) -> None:
        self.player = player
        self.plays: list[Played] = []
        for number, asked in enumerate(known.asked):
            self.plays.append(asked.played_by(player) if wanted[number] else known.right[number])
            if gone(self.plays[-1].observation):
                break

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        key = request_key(request)
        known = (play.observation for play in self.plays if request_key(play.expectation.request) == key)
        return next(known, None) or self.player.play(request, size_limit_bytes)


def gone(observation: Observation) -> bool:
    """Return True if there was no answer at all. The next one would take as long, or end as badly."""
    return observation.error is not None and observation.error.cause is not Cause.RAISED
