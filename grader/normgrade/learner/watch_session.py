"""The state of `normgrade watch`: an exercise, how its checks ended, the last report, and what the learner wants to see."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from normgrade.course.course import Course, Exercise
from normgrade.grade import Submission, report_on
from normgrade.inspection.inspection import inspect_file
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.attempts import Attempt
from normgrade.learner.file_saves import Watched
from normgrade.learner.hints import take_hint
from normgrade.learner.record import remember
from normgrade.learner.standing import next_after, records
from normgrade.learner.workspace import Workspace, submission_of
from normgrade.report.report import Check, Outcome, Report
from normgrade.report.reveal import reveal
from normgrade.suite.grader import Grader


def ignore_change() -> None:
    """The callback of a session that nothing is drawn of."""


@dataclass
class Watching:
    """An exercise that is graded at every save. `on_change` is called whenever something changes that may be drawn."""

    grader: Grader
    course: Course
    exercise: Exercise
    before: tuple[Exercise, ...] = ()  # watched before this one, the first one first
    on_change: Callable[[], None] = ignore_change
    report: Report | None = None
    checks: dict[str, Check | None] = field(default_factory=dict)  # by name, in the suite's order; None until the check has ended
    scores: list[int] = field(default_factory=list)
    grading: bool = False
    note: str = ""
    following: Exercise | None = None  # the next exercise, for the key n
    all_differences: bool = False
    with_prompt: bool = False

    def __post_init__(self) -> None:
        self.watched = Watched(submission_of(self.exercise))

    def begin_if_saved(self) -> bool:
        """Whether the file was saved. If so, the last verdict is forgotten, and `grade` is to be called."""
        if not self.watched.saved():
            return False
        self.report, self.note, self.checks, self.grading = None, "", {}, True
        return True

    def grade(self) -> None:
        """Grade the file as it is now, and record the attempt."""
        path = self.watched.path
        submission = Submission(self.exercise, path, os.path.relpath(path))
        inspection = inspect_file(path, self.exercise)
        if inspection.playable:
            self.checks = dict.fromkeys(self.grader.suites[self.exercise.slug].names)
            self.on_change()
        self.report = reveal(report_on(self.grader, submission, inspection, self.on_event), self.exercise.reveal)
        self.grading = False
        if inspection.playable:
            self.scores.append(self.report.earned)
        self.note = remember([submission], [self.report])
        self.look_ahead()

    def look_ahead(self) -> None:
        """Find out which exercise `normgrade` calls next."""
        try:
            self.following = next_after(records(self.course, Workspace.find()), self.exercise, self.before)
        except UsageError as error:
            self.following, self.note = None, str(error)

    def on_event(self, event: Check | Report) -> None:
        """Take up a check that has ended; or the report without a diagnosis, once all have and the mistake is still looked for."""
        if isinstance(event, Report):
            self.report = reveal(event, self.exercise.reveal)
        else:
            self.checks[event.name] = event
        self.on_change()

    def next(self) -> Watching:
        """The session of the exercise that `normgrade` calls next; this one where no other is left."""
        self.note = _("There is no other exercise to go on with.")
        self.look_ahead()
        if self.following is None:
            return self
        return Watching(self.grader, self.course, self.following, (*self.before, self.exercise), self.on_change)

    def back(self) -> Watching:
        """The session of the exercise that was watched before; this one where there was none."""
        if not self.before:
            self.note = _("No other exercise was watched before this one.")
            return self
        return Watching(self.grader, self.course, self.before[-1], self.before[:-1], self.on_change)

    def next_hint(self) -> str:
        """The next hint that was not given yet, as a note to show."""
        if self.report is not None and self.report.outcome is Outcome.PASSED:
            return _("It has passed: nothing is left to hint at.")
        last = Attempt.of(self.report, datetime.now(UTC)) if self.report is not None else None
        left = take_hint(self.exercise, last, Workspace.find())
        return _("Hint: {hint}", hint=left[0].shown) if left else _("You have had every hint.")
