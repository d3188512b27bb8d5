"""One explanation of what was observed: known mistakes made together in one source, and what they lead to at every play."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from normgrade.compare.match import agrees, near, same_numbers, undetermined
from normgrade.compare.played import Played, Result
from normgrade.course.mistakes import Mistake, together
from normgrade.language.errors import CourseError
from normgrade.oracle.expectation import Oracle
from normgrade.oracle.expected import Expectation
from normgrade.report.report import Outcome, ValueDifference
from normgrade.worker.observation import Observation
from normgrade.worker.requests import LayerStory, TypedRequest

Clock = Callable[[], float]  # in seconds; that of this thread stands still while others compute


class OutOfTime(Exception):
    """The search took longer than it may; what it might still have found is not known."""


@dataclass(frozen=True)
class TimedOracle:
    """An oracle that may be asked until a time on a clock."""

    oracle: Oracle
    until: float = math.inf
    clock: Clock = time.thread_time

    def in_time(self) -> Oracle:
        """The oracle; OutOfTime where it is too late to ask it."""
        if self.clock() > self.until:
            raise OutOfTime
        return self.oracle


@dataclass(frozen=True, eq=False)
class Replay:
    """One play of the submission, repeated with another source. What is asked for is computed once."""

    source: str
    play: Played
    oracle: TimedOracle
    keep: bool  # whether the cache keeps the expectation

    @cached_property
    def exact(self) -> Observation:
        """What the source observes in float64."""
        return self.glimpse(self.play.expectation.request, exact=True)

    @cached_property
    def native(self) -> Observation:
        """What the source observes in the arithmetic that the request asks for."""
        return self.glimpse(self.play.expectation.request, exact=False)

    @cached_property
    def expectation(self) -> Expectation:
        """What the source should observe, with the spread of every number."""
        return self.oracle.in_time().expectation(self.source, self.play.expectation.request, keep=self.keep)

    @cached_property
    def is_right(self) -> bool:
        """Whether the source agrees with the reference in float64, and natively in all but the numbers."""
        return same_numbers(self.exact, self.native, self.play.expectation)

    @cached_property
    def fails_natively(self) -> bool:
        """Whether the source differs from the reference where it is played natively."""
        return is_wrong(Played(self.native, self.play.expectation))

    @cached_property
    def is_possible(self) -> bool:
        """At a glance, far cheaper than an expectation: whether nothing that was observed is far from what the source leads to."""
        if self.play.refusal is not None:
            return self.explains
        return self.is_near_at_first() and any(self.is_near(self.glimpsed(exact)) for exact in (False, True))

    @cached_property
    def explains(self) -> bool:
        """Whether the source leads to what was observed; where a refusal was expected, whether both refuse, or neither does."""
        if (errors := self.play.refusal) is not None:
            return refused(self.play.observation, errors) == refused(self.native, errors)
        return agrees(self.play.observation, self.expectation, self.native)

    def raises(self, error_type: str) -> bool:
        """Whether the source raises such an error, natively or in float64, at whatever step."""
        glimpses = (self.glimpsed(exact) for exact in (False, True))
        return any(glimpse.error is not None and glimpse.error.types[:1] == (error_type,) for glimpse in glimpses)

    def is_near_at_first(self) -> bool:
        """The same as `is_possible` for the first step alone, where there is one: most mistakes are ruled out by that."""
        request = self.play.expectation.request
        first = request.opening if isinstance(request, LayerStory) else None
        return first is None or any(self.is_near(self.glimpse(first, exact), whole=False) for exact in (False, True))

    def is_near(self, glimpse: Observation, whole: bool = True) -> bool:
        return near(self.play.observation, glimpse, self.play.expectation, whole)

    def glimpsed(self, exact: bool) -> Observation:
        return self.exact if exact else self.native

    def glimpse(self, request: TypedRequest, exact: bool) -> Observation:
        return self.oracle.in_time().glimpse(self.source, request, exact)


@dataclass(frozen=True, eq=False)
class Candidate:
    """Known mistakes made together in one source, or no mistake at all: asked whether it explains what was observed at a check.

    `parts` are the candidates with one of the mistakes each, where there are several. Mistakes of arithmetic, such as a one-pass
    variance, are right in float64; they show only when they are played natively.
    """

    mistakes: tuple[Mistake, ...]
    source: str
    oracle: TimedOracle
    parts: tuple[Candidate, ...] = ()
    replays: dict[Played, Replay] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(mistake.name for mistake in self.mistakes)

    def replay(self, play: Played) -> Replay:
        """The play, repeated with this source. The expectations of combinations are too many to be kept for other searches."""
        if play not in self.replays:
            self.replays[play] = Replay(self.source, play, self.oracle, keep=len(self.mistakes) == 1)
        return self.replays[play]

    def at(self, result: Result) -> Iterator[Replay]:
        """Every play of a check, repeated with this source."""
        return map(self.replay, result.plays)

    def is_possible_at(self, result: Result) -> bool:
        """At a glance: whether these mistakes may explain what was observed at this check."""
        return self.is_arithmetic_at(result) or all(replay.is_possible for replay in self.at(result))

    def explains(self, result: Result) -> bool:
        """Whether these mistakes lead to what was observed at this check."""
        return self.is_arithmetic_at(result) or all(replay.explains for replay in self.at(result))

    def is_arithmetic_at(self, result: Result) -> bool:
        """Whether these mistakes, one by one and together, are right in float64 at this failed check, and yet fail it natively.

        They fail at the request that the submission failed at.
        """
        return (
            fails_in_numbers_alone(result)
            and all(part.is_right_at(result) for part in self.parts)
            and self.is_right_at(result)
            and self.replay(result.plays[-1]).fails_natively
        )

    def is_right_at(self, result: Result) -> bool:
        return all(replay.is_right for replay in self.at(result))

    def fails_natively_at(self, result: Result) -> bool:
        return any(replay.fails_natively for replay in self.at(result))

    def takes_part_in(self, result: Result) -> bool:
        """Whether these mistakes may change anything at a check; a refusal may always be changed."""
        natively = fails_in_numbers_alone(result)
        return any(
            replay.play.refusal is not None or not replay.is_right or (natively and replay.fails_natively) for replay in self.at(result)
        )

    def open_numbers(self, results: Sequence[Result]) -> int:
        """How many numbers these mistakes leave undetermined, so that anything would agree with them."""
        plays = [play for result in results for play in result.plays if play.refusal is None]
        return sum(undetermined(self.replay(play).expectation) for play in plays)


def made_together(
    mistakes: tuple[Mistake, ...], reference: str, oracle: TimedOracle, parts: tuple[Candidate, ...] = ()
) -> Candidate | None:
    """The candidate with these mistakes; None where they cannot be made together, or where the result cannot be executed."""
    source = together(reference, mistakes)
    if source is None:
        return None
    try:
        oracle.in_time().modules(source)
    except CourseError:
        return None
    return Candidate(mistakes, source, oracle, parts)


def is_wrong(play: Played) -> bool:
    """Whether anything differs from what was expected."""
    return not ends_alike(play) or bool(play.differences)


def fails_in_numbers_alone(result: Result) -> bool:
    """Whether a check failed, and nothing but numbers differs at it: all that unstable arithmetic can do."""
    return result.check.outcome is Outcome.FAILED and all(
        ends_alike(play) and not any(isinstance(difference, ValueDifference) for difference in play.differences) for play in result.plays
    )


def ends_alike(play: Played) -> bool:
    """Whether both ended in an error, or neither did."""
    return (play.observation.error is None) == (play.expectation.error is None)


def refused(observation: Observation, errors: tuple[str, ...]) -> bool:
    """Whether it ended in one of these errors."""
    return observation.error is not None and any(name in observation.error.types for name in errors)
