"""The state of `normgrade watch`: an exercise, its file, the results of its checks, the last report, and what has changed since then."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grade import Submission
from normgrade.grading.grading_options import PUBLIC_SEED, OnProgress
from normgrade.inspection.inspection import inspect_file
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.learner.after_check import after_pass, remember
from normgrade.learner.hints import take_hint
from normgrade.learner.standing import Attempt, next_after, records
from normgrade.learner.workspace import Workspace, submission_of
from normgrade.report.render.wording import Cases, grouped, one_line, word_of
from normgrade.report.report import Check, Outcome, Report, reveal
from normgrade.worker.interrupts import Interrupts

PAUSE_S = 0.05  # between two looks at the file; if it is unchanged after that, no editor is still writing

# The file: every save is noticed, in place, in two steps, or by a file that replaces the old one


class Watched:
    """A file that is watched. Its first content counts as saved."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reported: tuple[int, ...] | None = ()

    def saved(self) -> bool:
        """Return True if the file has changed or is gone since this last returned True, and has then been unchanged for PAUSE_S."""
        now = status_of(self.path)
        if now == self.reported:
            return False
        time.sleep(PAUSE_S)
        if status_of(self.path) != now:
            return False
        self.reported = now
        return True


def status_of(path: Path) -> tuple[int, ...] | None:
    """Return what changes if a file is written: its time in nanoseconds, its size in bytes and its inode. None if there is no file."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


# The session


if TYPE_CHECKING:
    from normgrade.grading.grader import Grader


class Saved(BaseException):
    """The exception that ends a grading because the file was saved meanwhile. No handler of ordinary exceptions stops it."""


def ignore_change() -> None:
    """Do nothing: the callback of a session that is not shown."""


@dataclass
class Watching:
    """An exercise that is graded at every save."""

    grader: Grader
    course: Course
    exercise: Exercise
    before: tuple[Exercise, ...] = ()  # watched before this one, the first one first
    on_change: Callable[[], None] = ignore_change
    report: Report | None = None
    compared: Report | None = None  # with the next one: the last report on the usual inputs
    checks: dict[str, Check | None] = field(default_factory=dict)  # by name, in the suite's order; None until the check has ended
    scores: list[int] = field(default_factory=list)
    seed: int = PUBLIC_SEED  # of the inputs
    grading: bool = False  # or about to be graded
    superseded: bool = False  # saved while it was graded
    doing: str = ""  # the current step, if it takes long
    note: str = ""
    changed: str = ""  # since the last save
    afterwards: list[str] = field(default_factory=list)  # after a pass: how it went, and things to read
    following: Exercise | None = None  # the next exercise, for the key n

    def __post_init__(self) -> None:
        self.watched = Watched(submission_of(self.exercise))

    def listen(self, on_change: Callable[[], None], on_progress: OnProgress) -> None:
        """Have `on_change` called after every change, and while it is graded; and `on_progress` with every step that takes long."""
        self.on_change, self.grader = on_change, replace(self.grader, options=replace(self.grader.options, progress=on_progress))

    def begin_if_saved(self) -> bool:
        """Begin a grading if the file was saved. Returns True if so; then call `grade`."""
        if saved := self.watched.saved():
            self.begin(PUBLIC_SEED)
        return saved

    def begin(self, seed: int) -> None:
        """Forget the last verdict, and prepare a grading on the inputs of a seed."""
        self.report, self.checks, self.seed, self.grading, self.superseded = None, {}, seed, True, False
        self.note = self.changed = self.doing = ""
        self.afterwards = []

    def grade(self) -> None:
        """Grade the file as it is now, and once more whenever it is saved meanwhile. The grader stays warm."""
        Interrupts.meanwhile = self.glance
        try:
            while self.grading:
                try:
                    self.grade_once()
                except Saved:
                    self.begin(PUBLIC_SEED)
        finally:
            Interrupts.meanwhile = None

    def glance(self) -> None:
        """Look at the keys and at the file."""
        self.on_change()
        self.go_on()

    def go_on(self) -> None:
        """Raise Saved if the file was saved during this grading; again and again, because a hidden test may swallow the exception."""
        self.superseded |= self.watched.saved()
        if self.superseded:
            raise Saved

    def grade_once(self) -> None:
        """Grade the file as it is now, and record the attempt."""
        from normgrade.grading.reporting import report_on  # loads pytest

        path = self.watched.path
        submission = Submission(self.exercise, path, os.path.relpath(path))
        inspection = inspect_file(path, self.exercise)
        if inspection.playable:
            self.checks = dict.fromkeys(self.grader.suites[self.exercise.slug].names)
            self.on_change()
        report = report_on(self.grader_of_seed(), submission, inspection, self.on_event)
        self.go_on()
        report = reveal(report, self.exercise.reveal)
        if inspection.playable:
            self.compare(report)
        self.note = remember([submission], [report])
        self.look_ahead()
        if report.outcome is Outcome.PASSED:
            self.look_back()
        self.report, self.grading = report, False  # last: it may be drawn at any time, with the next exercise

    def grader_of_seed(self) -> Grader:
        """Return a grader with the seed of this grading."""
        options = self.grader.options
        return self.grader if self.seed == options.seed else replace(self.grader, options=replace(options, seed=self.seed))

    def compare(self, report: Report) -> None:
        """Compare a report with the previous one, unless the seed is another: on other inputs the same file may earn other points."""
        if self.seed == PUBLIC_SEED:
            self.scores.append(report.earned)
            self.changed = change_in_words(self.compared, report) if self.compared is not None else ""
            self.compared = report

    def look_ahead(self) -> None:
        """Find the exercise that `normgrade` recommends next."""
        try:
            self.following = next_after(records(self.course, Workspace.find()), self.exercise, self.before)
        except UsageError as error:
            self.following, self.note = None, str(error)

    def look_back(self) -> None:
        """Set the lines that are shown after a pass. The last line, the next step, is left out: the key n stands for it."""
        with suppress(UsageError):  # `look_ahead` has reported it
            if (workspace := Workspace.find()) is not None:
                self.afterwards = after_pass(self.course, self.exercise, workspace)[:-1]

    def on_event(self, event: Check | Report) -> None:
        """Store a check that has ended; or the report without a diagnosis, when all have ended and the search for the mistake begins."""
        if isinstance(event, Report):
            self.report, self.doing = reveal(event, self.exercise.reveal), ""
        else:
            self.checks[event.name] = event
        self.on_change()
        self.go_on()

    def next(self) -> Watching:
        """Return the session of the exercise that `normgrade` recommends next; this session if there is none."""
        self.note = _("There is no other exercise to continue with.")
        self.look_ahead()
        return self if self.following is None else self.at(self.following)

    def at(self, exercise: Exercise) -> Watching:
        """Return the session of another exercise."""
        return Watching(self.grader, self.course, exercise, (*self.before, self.exercise), self.on_change)

    def back(self) -> Watching:
        """Return the session of the exercise that was watched before; this session if there was none."""
        if not self.before:
            self.note = _("No exercise was watched before this one.")
            return self
        return Watching(self.grader, self.course, self.before[-1], self.before[:-1], self.on_change)

    def next_hint(self) -> str:
        """Return the next hint that was not given yet, as a note to show."""
        if self.report is not None and self.report.outcome is Outcome.PASSED:
            return _("The exercise has passed, so there are no hints.")
        last = Attempt.of(self.report, datetime.now(UTC)) if self.report is not None else None
        left = take_hint(self.exercise, last, Workspace.find())
        return _("Hint: {hint}", hint=left[0].shown) if left else _("There are no more hints.")


# What has changed: points, mistakes, claims, in one line


def change_in_words(before: Report, now: Report) -> str:
    """Return the change in points, the mistakes or else the claims that changed, and the claims that still fail."""
    points = points_in_words(now.earned - before.earned)
    changed = _("; ").join(mistakes_in_words(before, now) or claims_in_words(before, now))
    said = _(": ").join(filter(None, (points, changed)))
    left = [cases for stem, cases in open_claims(now).items() if stem in open_claims(before)]
    if not said:
        return _("No claim has changed since the last save.")
    return _("; ").join([said, _("still open: {kinds}", kinds=by_kind(left))] if left else [said])


def points_in_words(gained: int) -> str:
    """Return a change in points; "" if there is none."""
    if gained > 0:
        return n_("+{n} point", "+{n} points", gained)
    return n_("−{n} point", "−{n} points", -gained) if gained else ""


def mistakes_in_words(before: Report, now: Report) -> list[str]:
    """Return which mistakes are gone and which are new, if the reports can tell."""
    were, are = named(before), named(now)
    gone = [name for name in were if name not in are] if tells_all(now) or all_hold(before, now) else []
    new = [name for name in are if name not in were] if tells_all(before) or all_hold(now, before) else []
    said = []
    if gone:
        said.append(n_("{names} is gone", "{names} are gone", len(gone), names=_(", ").join(gone)))
    if new:
        said.append(n_("{names} is new", "{names} are new", len(new), names=_(", ").join(new)))
    return said


def named(report: Report) -> list[str]:
    """Return the mistakes that a report names, in all its alternatives."""
    return [*dict.fromkeys(one_line(name) for diagnosis in report.diagnoses for name in diagnosis.mistakes)]


def tells_all(report: Report) -> bool:
    """Return True if a report names every mistake there is: it passed, or its diagnosis explains everything."""
    return report.outcome is Outcome.PASSED or (bool(report.diagnoses) and not report.unexplained)


def all_hold(diagnosed: Report, other: Report) -> bool:
    """Return True if all checks that the diagnosis of one report explains pass in the other."""
    explained = {name for diagnosis in diagnosed.diagnoses for name in diagnosis.checks}
    return bool(explained) and explained <= {check.name for check in other.checks if check.outcome is Outcome.PASSED}


def claims_in_words(before: Report, now: Report) -> list[str]:
    """Return how many claims of each kind hold now, and how many no longer hold."""
    were, are = open_claims(before), open_claims(now)
    said = []
    if gained := [cases for stem, cases in were.items() if stem not in are]:
        said.append(_("now hold: {kinds}", kinds=by_kind(gained)))
    if lost := [cases for stem, cases in are.items() if stem not in were]:
        said.append(_("no longer hold: {kinds}", kinds=by_kind(lost)))
    return said


def open_claims(report: Report) -> dict[str, Cases]:
    """Return the claims that do not hold, by the name of their test."""
    return {cases.stem: cases for cases in grouped(report.checks) if cases.outcome is not Outcome.PASSED}


def by_kind(claims: Iterable[Cases]) -> str:
    """Return the kinds of some claims, and how many there are of each: "precision (2), edge (1)"."""
    counted = Counter(cases.kind for cases in claims)
    return _(", ").join(f"{word_of(kind)} ({n})" for kind, n in counted.items())
