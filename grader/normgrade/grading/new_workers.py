"""Further plays of a submission, in new workers, if its first plays leave something open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from normgrade.compare.played import Result
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.diagnosis.deadline import NEVER, Deadline
from normgrade.diagnosis.steps.locate import locate
from normgrade.diagnosis.steps.replays import Answer
from normgrade.diagnosis.steps.step import Step
from normgrade.diagnosis.steps.traces import Acting, Combine, traced
from normgrade.grading.course_worker import SIZE_LIMIT_BYTES, CourseWorker
from normgrade.grading.run import gone
from normgrade.worker.trusted.host import Worker
from normgrade.worker.wire.messages import PlayQuestion, RecordQuestion
from normgrade.worker.wire.observation import Observation, Playable, Recording


@dataclass(frozen=True)
class InNewWorkers:
    """Further plays of the submission `source`, each time in a new worker that `open_worker` opens, until the deadline."""

    exercise: Exercise
    source: str
    open_worker: Callable[[float], AbstractContextManager[Worker]]  # for so many seconds
    course_worker: CourseWorker
    deadline: Deadline = NEVER

    def answers(self, requests: Sequence[Playable]) -> list[Observation | None]:
        questions = [PlayQuestion(request, SIZE_LIMIT_BYTES) for request in requests]
        with self.open_worker(self.deadline.left_s) as worker:
            worker.announce(questions)
            answers = [*self.deadline.each(map(worker.answer, questions))]
        return [None if gone(answer) else answer for answer in answers]

    def recordings(self, requests: Sequence[Playable], source: str | None = None) -> list[Recording]:
        questions = [RecordQuestion(request, SIZE_LIMIT_BYTES, source) for request in requests]
        if source is not None:
            return [*self.deadline.each(map(self.course_worker.record, questions))]
        with self.open_worker(self.deadline.left_s) as worker:
            return [*self.deadline.each(map(worker.record, questions))]

    def first_wrong_step(self, results: Sequence[Result], right: str) -> Step | None:
        others = [read_text(path) for path in self.exercise.alternatives]
        with self.open_worker(self.deadline.left_s) as worker:
            sources, record = [right, *others], self.in_time(self.course_worker.record)
            return locate(results, self.source, sources, self.in_time(worker.record), record, self.exercise.defines)

    def traced(self, results: Sequence[Result], acting: Acting, combine: Combine, beside: Sequence[int]) -> list[int]:
        with self.open_worker(self.deadline.left_s) as worker:
            record = self.in_time(self.course_worker.record)
            return traced(results, acting, combine, self.source, self.in_time(worker.record), record, beside)

    def in_time(self, record: Answer) -> Answer:
        """Return a function that records until the deadline, and then raises OutOfTime."""

        def recorded(question: RecordQuestion) -> Recording:
            self.deadline.keep()
            return record(question)

        return recorded
