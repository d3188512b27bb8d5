"""Tests of further plays of a submission: with other requests, and recorded."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
from normgrade.course.package import carried
from normgrade.diagnosis.deadline import Deadline, OutOfTime
from normgrade.grading.course_worker import CourseWorker
from normgrade.grading.grading_options import Options
from normgrade.grading.new_workers import InNewWorkers
from normgrade.grading.opening import open_grader
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Request

EXERCISE = Course(carried()).exercise("standardize")
MISTAKES = {mistake.name: mistake for mistake in read_mistakes(EXERCISE)}


def test_no_play_begins_after_the_deadline() -> None:
    with open_grader([EXERCISE], Options()) as grader, CourseWorker(grader.host(EXERCISE), EXERCISE) as course_worker:
        again = InNewWorkers(EXERCISE, "", partial(grader.worker, EXERCISE, "", "x.py"), course_worker, Deadline.after(-1))
        with pytest.raises(OutOfTime):
            again.answers([Request("step", {})])
        for record in (again.in_time(course_worker.record), again.in_time(grader.worker(EXERCISE, "", "x.py").record)):
            with pytest.raises(OutOfTime):
                record(RecordQuestion(Request("step", {}), 1000))
        assert course_worker.worker is None


def test_worker_has_only_the_time_that_is_left() -> None:
    with open_grader([EXERCISE], Options()) as grader:
        total_s = grader.limits(EXERCISE).total_s
        assert grader.worker(EXERCISE, "", "x.py", 2.5).limits.total_s == 2.5
        assert grader.worker(EXERCISE, "", "x.py").limits.total_s == total_s


@pytest.mark.usefixtures("expectations")
def test_wrong_source_gives_first_wrong_step_and_traces(tmp_path: Path) -> None:
    source, right = MISTAKES["unbiased-variance"].source, read_text(EXERCISE.reference)
    with open_grader([EXERCISE], Options()) as grader, CourseWorker(grader.host(EXERCISE), EXERCISE) as course_worker:
        results = [*grader.results(EXERCISE, source, EXERCISE.file_name)]
        again = InNewWorkers(EXERCISE, source, partial(grader.worker, EXERCISE, source, EXERCISE.file_name), course_worker)
        play = results[1].plays[0]
        [answer, nothing] = again.answers([play.expectation.request, Request("no such probe", {})])
        assert answer is not None and answer.values.keys() == play.observation.values.keys()
        assert nothing is None or nothing.error is not None
        [recording] = again.recordings([play.expectation.request])
        assert recording.error is None and recording.records
        step = again.first_wrong_step(results, right)
        assert step is not None and step.change is not None
        some = [MISTAKES["constant-not-exactly-zero"], MISTAKES["unbiased-variance"]]
        assert again.traced(results, lambda key: [0, 1], lambda members: some[members[-1]].source if members else right, []) == [1]
