"""Finds known mistakes by their traces: wrong values on the way that a submission makes, too, whatever it does with them later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from normgrade.compare.played import PlayKey, Result
from normgrade.steps.case import Case
from normgrade.steps.failing import failing_plays
from normgrade.steps.replays import Answer, Replays, Spent, outputs_of
from normgrade.steps.same_values import distinct
from normgrade.steps.sources import source_of
from normgrade.steps.substitution import Search
from normgrade.worker.observation import Recording

PLAYS, LOOKED_AT = 3, 9  # failing plays in which mistakes are followed, and that are looked at
REPLAYS = 400  # in all
MOST = 5  # mistakes
Acting = Callable[[PlayKey], Sequence[int]]
Combine = Callable[[Sequence[int]], str | None]  # the source with some mistakes; None where they cannot be made together


def traced(
    unexplained: Iterable[Result],
    acting: Acting,
    combine: Combine,
    source: str,
    submission: Answer,
    understudy: Answer,
    beside: Sequence[int] = (),
) -> list[int]:
    """The mistakes that leave traces in a submission, one after the other: each is made beside those before it.

    Those to begin with are `beside`.

    unexplained: failing checks whose numbers are wrong.
    acting: the numbers of the mistakes that change anything in a play.
    source: that of the submission.
    submission, understudy: play questions in workers, on the submission and on sources of the course's own.
    """
    following, plays, left = Following(combine, [*beside]), PLAYS, REPLAYS
    for failing in failing_plays(unexplained)[:LOOKED_AT]:
        replays = Replays(failing, understudy, left)
        with suppress(Spent), np.errstate(all="ignore"):
            right = combine(following.found) or ""
            if (search := Case(failing, source_of(source), [right], submission, replays).search()) is not None:
                plays -= 1
                following.follow(search, acting(failing.key))
        left = replays.left
        if not plays or left <= 0:
            break
    return following.found


@dataclass
class Following:
    """Follows the traces of mistakes from play to play. `found` are those that left some."""

    combine: Combine
    found: list[int] = field(default_factory=list)

    def follow(self, search: Search, acting: Sequence[int]) -> None:
        """Add the mistakes that bring the values of right code nearest to the submission's, until none does."""
        learner = search.learner
        telling = {held.group for held in learner.held if tells(held.values, search)}
        recording = search.base.recording
        had = self.near(search, recording, telling)
        while had < (0, len(telling)) and len(self.found) < MOST:
            played = {member: each for member in acting if (each := self.played(search, member)) is not None}
            acting = [member for member, each in played.items() if unlike(each, recording)]
            near = {member: self.near(search, played[member], telling) for member in acting}
            best = max(acting, key=lambda member: (near[member], -member), default=None)
            if best is None or near[best] <= had:
                break
            self.found.append(best)
            had, recording = near[best], played[best]

    def played(self, search: Search, member: int) -> Recording | None:
        """The play of one mistake more, on record; None if it cannot be made or played."""
        text = None if member in self.found else self.combine([*self.found, member])
        return None if text is None else search.replays.record(text)

    def near(self, search: Search, recording: Recording, telling: set[int]) -> tuple[int, int]:
        """How near a recording is to the submission's: fewer outputs that differ, then more of its values."""
        return -len(search.unexplained(outputs_of(recording))), len(search.learner.groups.found_in(recording.records) & telling)


def unlike(one: Recording, other: Recording) -> bool:
    """Return if two recordings hold other values."""
    pairs = zip(one.records, other.records, strict=False)
    return len(one.records) != len(other.records) or not all(np.array_equal(first.values, second.values) for first, second in pairs)


def tells(values: np.ndarray, search: Search) -> bool:
    """Return if a value has so many distinct numbers that another one does not hold them by chance."""
    numbers = distinct(values, search.tolerance)
    return numbers is not None and numbers.size > 1
