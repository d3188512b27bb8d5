"""The plays of a check: each request with its observation and its expectation, compared once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from normgrade.compare.differences import differences
from normgrade.compare.facts import Facts, Right, facts_of, right_of
from normgrade.oracle.expected import Expectation
from normgrade.report.report import Check, Difference
from normgrade.worker.wire.observation import Array, Observation
from normgrade.worker.wire.requests import NewLayer

PlayKey = tuple[str, int]  # the name of a check, and the number of one of its plays


@dataclass(frozen=True, eq=False)
class Played:
    """One request of a check, its observation and its expectation; `refusal` names the exceptions of which one should have been raised."""

    observation: Observation
    expectation: Expectation
    refusal: tuple[str, ...] | None = None

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """The difference at every place that disagrees, in the order of the story, without words on its pattern."""
        return differences(self.observation, self.expectation)

    @cached_property
    def right(self) -> Right:
        """The reference's results, as facts."""
        return right_of(self.expectation, self.refusal)

    @cached_property
    def facts(self) -> Facts:
        """The observation, as facts."""
        return facts_of(self.observation, self.right)

    @property
    def came_to_its_end(self) -> bool:
        """True if nothing was raised, and nothing should have been."""
        return self.refusal is None and self.observation.error is None

    @property
    def worked(self) -> bool:
        """True if a call came to its end. Building a layer is no call."""
        return self.came_to_its_end and not isinstance(self.expectation.request, NewLayer)

    @property
    def answered(self) -> bool:
        """True if the first value that should be an array is one, not None or a tuple, say; also if no array is due."""
        first = next((place for place, expected in self.expectation.places.items() if isinstance(expected.value, Array)), None)
        return first is None or isinstance(self.observation.values.get(first), Array)


@dataclass(frozen=True, eq=False)
class Result:
    """A check and its plays. `wrong` is the play in which it failed, if one play decided and its numbers show why.

    `broken` tells the course's author which part of the suite ended the check in an error.
    """

    check: Check
    plays: tuple[Played, ...]
    wrong: Played | None = None
    broken: str = ""

    @property
    def failed_at(self) -> Played:
        """The play that best shows why the check failed: the one that decided, or else the first that went wrong, or the last."""
        wrong = (play for play in self.plays if play.differences or (play.observation.error is None) != (play.expectation.error is None))
        return self.wrong or next(wrong, self.plays[-1])
