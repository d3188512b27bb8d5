"""Further plays of a submission, in new workers, if its first plays leave something open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from normgrade.compare.played import Result
from normgrade.course.course import Exercise
from normgrade.course.files import read_text
from normgrade.steps.locate import locate
from normgrade.steps.step import Step
from normgrade.steps.traces import Acting, Combine, traced
from normgrade.suite.run import gone
from normgrade.suite.understudy import SIZE_LIMIT_BYTES, Understudy
from normgrade.worker.host import Worker
from normgrade.worker.messages import PlayQuestion
from normgrade.worker.observation import Observation, Playable


class Again(Protocol):
    """A way to play a submission again."""

    def answers(self, requests: Sequence[Playable]) -> Sequence[Observation | None]:
        """Return its native answers to other requests, with None for each that it does not answer."""

    def first_wrong_step(self, results: Sequence[Result], right: str) -> Step | None:
        """Return the first step that goes wrong in these results, compared with the source `right`; None if it is not certain."""

    def traced(self, results: Sequence[Result], acting: Acting, combine: Combine, beside: Sequence[int]) -> list[int]:
        """Return the mistakes `beside`, then those whose wrong intermediate values the submission makes, too, in these results.

        `acting` gives the mistakes that change a play, `combine` the reference with several mistakes.
        """


class Never:
    """A stand-in for a submission that cannot be played again: it has no answers."""

    def answers(self, requests: Sequence[Playable]) -> Sequence[Observation | None]:
        return [None] * len(requests)

    def first_wrong_step(self, results: Sequence[Result], right: str) -> Step | None:
        return None

    def traced(self, results: Sequence[Result], acting: Acting, combine: Combine, beside: Sequence[int]) -> list[int]:
        return []


@dataclass(frozen=True)
class OnceMore:
    """Further plays of the submission `source`, each time in a new worker that `open_worker` opens."""

    exercise: Exercise
    source: str
    open_worker: Callable[[], AbstractContextManager[Worker]]
    understudy: Understudy

    def answers(self, requests: Sequence[Playable]) -> list[Observation | None]:
        questions = [PlayQuestion(request, SIZE_LIMIT_BYTES) for request in requests]
        with self.open_worker() as worker:
            worker.announce(questions)
            answers = [worker.answer(question) for question in questions]
        return [None if gone(answer) else answer for answer in answers]

    def first_wrong_step(self, results: Sequence[Result], right: str) -> Step | None:
        others = [read_text(path) for path in self.exercise.alternatives]
        with self.open_worker() as worker:
            record = self.understudy.open_worker().record
            return locate(results, self.source, [right, *others], worker.record, record, self.exercise.defines)

    def traced(self, results: Sequence[Result], acting: Acting, combine: Combine, beside: Sequence[int]) -> list[int]:
        with self.open_worker() as worker:
            record = self.understudy.open_worker().record
            return traced(results, acting, combine, self.source, worker.record, record, beside)
