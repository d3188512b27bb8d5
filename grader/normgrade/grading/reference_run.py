"""The run of hidden tests on the reference: it tells which requests each test makes, and what is expected of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from normgrade.compare.played import Played
from normgrade.course.exercise import Exercise
from normgrade.oracle.oracle import Oracle
from normgrade.suite.suite import HiddenTest, Suite
from normgrade.suite.vocabulary import Asked, Player, Playing, playing
from normgrade.worker.wire.messages import PlayQuestion


@dataclass(frozen=True)
class ReferenceTest:
    """A test as the reference plays it: its questions, in order. If they are judged `one_by_one`, the test itself is not needed again.

    A test that looks at observations, or one that the right answer fails, is run again on every submission.
    """

    asked: tuple[Asked, ...]
    one_by_one: bool

    @cached_property
    def questions(self) -> tuple[PlayQuestion, ...]:
        """The questions as they are sent to each worker."""
        return tuple(PlayQuestion(asked.expectation.request, asked.expectation.size_bytes) for asked in self.asked)

    @cached_property
    def right(self) -> tuple[Played, ...]:
        """The plays of the right answer."""
        return tuple(asked.played_by(None) for asked in self.asked)


@dataclass(frozen=True)
class ReferenceRun:
    """The tests of a suite as the reference plays them. One run serves any number of submissions."""

    oracle: Oracle
    exercise: Exercise
    reference: str
    seed: int = 0
    known: dict[str, ReferenceTest] = field(default_factory=dict)  # by the test's name

    def of(self, test: HiddenTest) -> ReferenceTest:
        """Return the questions of a test, which are the same for every submission."""
        if test.name not in self.known:
            check = self.check(test, None)
            failed = failure(test, check)
            self.known[test.name] = ReferenceTest(tuple(check.asked), failed is None and not check.looked)
        return self.known[test.name]

    def ahead(self, suite: Suite, enough: Callable[[], bool]) -> None:
        """Play the tests one by one, those that look at observations last, until it is `enough`. The rest is played on demand."""
        for test in sorted(suite.tests, key=lambda test: test.looks):
            if enough():
                return
            self.of(test)

    def check(self, test: HiddenTest, player: Player | None) -> Playing:
        """Return a check that the player is to play; without a player, the right answer plays it."""
        return Playing(player, self.oracle, self.exercise, self.reference, self.seed, test.name)

    def questions(self, suite: Suite) -> Iterator[PlayQuestion]:
        """Yield the questions of a suite, in its order."""
        for test in suite.tests:
            yield from self.of(test).questions


def failure(test: Callable[[], None], check: Playing | None = None) -> BaseException | None:
    """Return the exception that a test raises; None if it passes. If there is a check, the words of the test belong to it."""
    token = playing.set(check) if check else None
    try:
        test()
    except BaseException as error:
        return error
    finally:
        if token:
            playing.reset(token)
    return None
