"""What `normgrade watch` knows: an exercise, how its checks stand, the last report, and what was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from normgrade.course import Course, Exercise
from normgrade.errors import UsageError
from normgrade.grade import Desk, Submission
from normgrade.inspection import inspect_file
from normgrade.learning import keep, take_hint
from normgrade.progress import Attempt
from normgrade.report import Check, Report
from normgrade.reveal import reveal
from normgrade.watch import Watched
from normgrade.workspace import Workspace, submission_of


def unseen() -> None:
    """What is drawn anew where nobody watches."""


@dataclass
class Watching:
    """An exercise that is graded at every save. `changed` is called whenever there is something new to see."""

    desk: Desk
    course: Course
    exercise: Exercise
    changed: Callable[[], None] = unseen
    report: Report | None = None
    checks: dict[str, Check | None] = field(default_factory=dict)  # in the suite's order; None until it has ended
    scores: list[int] = field(default_factory=list)
    grading: bool = False
    note: str = ""
    all_differences: bool = False
    with_prompt: bool = False

    def __post_init__(self) -> None:
        self.watched = Watched(submission_of(self.exercise))

    def grade_if_saved(self) -> bool:
        """Whether there is a new report."""
        if not self.watched.saved():
            return False
        path = self.watched.path
        submission = Submission(self.exercise, path, os.path.relpath(path))
        inspection = inspect_file(path, self.exercise)
        self.note, self.checks, self.grading = "", {}, True
        if inspection.playable:
            self.checks = dict.fromkeys(self.desk.suites[self.exercise.slug].names)
        self.report = reveal(self.desk.report(submission, inspection, self.hear), self.exercise.reveal)
        self.grading = False
        if inspection.playable:
            self.scores.append(self.report.earned)
        if (workspace := Workspace.find()) is not None:
            try:
                keep(workspace, [submission], [self.report])
            except UsageError as error:  # the verdict is none the less right
                self.note = str(error)
        return True

    def hear(self, news: Check | Report) -> None:
        """A check has ended, or all have and the mistake is still looked for."""
        if isinstance(news, Report):
            self.report = reveal(news, self.exercise.reveal)
        else:
            self.checks[news.name] = news
        self.changed()

    def following(self) -> Watching:
        """The next exercise of the course, and after the last the first."""
        exercises = list(self.course)
        following = exercises[(exercises.index(self.exercise) + 1) % len(exercises)]
        return Watching(self.desk, self.course, following, self.changed)

    def next_hint(self) -> str | None:
        """The next hint that was not given, of what failed if anything did; None where there are no more."""
        last = Attempt.of(self.report, datetime.now(UTC), "") if self.report is not None else None
        return next(iter(take_hint(self.exercise, last, Workspace.find())), None)
