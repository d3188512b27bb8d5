"""Further plays of a submission, as far as the diagnosis needs them: other requests, and plays on record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from normgrade.compare.played import Result
from normgrade.diagnosis.steps.step import Step
from normgrade.diagnosis.steps.traces import Acting, Combine
from normgrade.worker.wire.observation import Observation, Playable, Recording


class MorePlays(Protocol):
    """A way to play a submission again."""

    def answers(self, requests: Sequence[Playable]) -> Sequence[Observation | None]:
        """Return its native answers to other requests, with None for each that it does not answer."""

    def recordings(self, requests: Sequence[Playable], source: str | None = None) -> Sequence[Recording]:
        """Return its recordings of these requests, or those of a `source` of the course."""

    def first_wrong_step(self, results: Sequence[Result], right: str) -> Step | None:
        """Return the first step that goes wrong in these results, compared with the source `right`; None if it is not certain."""

    def traced(self, results: Sequence[Result], acting: Acting, combine: Combine, beside: Sequence[int]) -> list[int]:
        """Return the mistakes `beside`, then those whose wrong intermediate values the submission makes, too, in these results.

        `acting` gives the mistakes that change a play, `combine` the reference with several mistakes.
        """


class NoMorePlays:
    """A stand-in for a submission that cannot be played again: it has no answers."""

    def answers(self, requests: Sequence[Playable]) -> Sequence[Observation | None]:
        return [None] * len(requests)

    def recordings(self, requests: Sequence[Playable], source: str | None = None) -> Sequence[Recording]:
        return ()

    def first_wrong_step(self, results: Sequence[Result], right: str) -> Step | None:
        return None

    def traced(self, results: Sequence[Result], acting: Acting, combine: Combine, beside: Sequence[int]) -> list[int]:
        return []
