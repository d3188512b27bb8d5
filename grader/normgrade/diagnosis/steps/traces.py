"""The search for known mistakes by their traces: wrong intermediate values that a submission also makes, however it uses them later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from normgrade.compare.played import PlayKey, Result
from normgrade.diagnosis.steps.case import Case
from normgrade.diagnosis.steps.failing import failing_plays
from normgrade.diagnosis.steps.replays import Answer, Replays, Spent, outputs_of
from normgrade.diagnosis.steps.same_values import distinct
from normgrade.diagnosis.steps.sources import source_of
from normgrade.diagnosis.steps.substitution import StepSearch
from normgrade.worker.wire.observation import Recording

PLAYS, LOOKED_AT = 3, 9  # failing plays in which mistakes are followed, and failing plays that are examined
REPLAYS = 400  # in all
MOST = 5  # mistakes
Acting = Callable[[PlayKey], Sequence[int]]
Combine = Callable[[Sequence[int]], str | None]  # returns the source with some mistakes; None if they exclude each other


def traced(
    unexplained: Iterable[Result],
    acting: Acting,
    combine: Combine,
    source: str,
    submission: Answer,
    course_worker: Answer,
    beside: Sequence[int] = (),
) -> list[int]:
    """Return the mistakes that leave traces in a submission, in the order in which they were found.

    Each is played together with those before it; the first ones are `beside`.

    unexplained: failing checks whose numbers are wrong.
    acting: returns the numbers of the mistakes that change anything in a play.
    combine: returns the source with some mistakes.
    source: the source of the submission.
    submission, course_worker: play questions in workers, on the submission and on sources of the course.
    """
    following, plays, left = Following(combine, [*beside]), PLAYS, REPLAYS
    for failing in failing_plays(unexplained)[:LOOKED_AT]:
        replays = Replays(failing, course_worker, left)
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
    """A search that follows the traces of mistakes from play to play. `found` are the mistakes with traces."""

    combine: Combine
    found: list[int] = field(default_factory=list)

    def follow(self, search: StepSearch, acting: Sequence[int]) -> None:
        """Add the mistakes that bring the values of right code nearest to the submission's, until none brings them nearer."""
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

    def played(self, search: StepSearch, member: int) -> Recording | None:
        """Return a recording with one more mistake; None if it cannot be made or played."""
        text = None if member in self.found else self.combine([*self.found, member])
        return None if text is None else search.replays.record(text)

    def near(self, search: StepSearch, recording: Recording, telling: set[int]) -> tuple[int, int]:
        """Return how near a recording is to the submission's: first by fewer differing outputs, then by more common values."""
        return -len(search.unexplained(outputs_of(recording))), len(search.learner.groups.found_in(recording.records) & telling)


def unlike(one: Recording, other: Recording) -> bool:
    """Return True if two recordings hold different values."""
    pairs = zip(one.records, other.records, strict=False)
    return len(one.records) != len(other.records) or not all(np.array_equal(first.values, second.values) for first, second in pairs)


def tells(values: np.ndarray, search: StepSearch) -> bool:
    """Return True if a value has more than one distinct number, so that another value is unlikely to match it by chance."""
    numbers = distinct(values, search.tolerance)
    return numbers is not None and numbers.size > 1
