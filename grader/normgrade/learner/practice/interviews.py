"""The interviews of a workspace, stored beside its attempts; at most one of them runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from normgrade.course.exercise import Exercise
from normgrade.language import _, n_
from normgrade.language.errors import UsageError, listed
from normgrade.language.visible import visible
from normgrade.learner.attempts import Attempts
from normgrade.learner.practice.interview_plan import Asked, Interview, Task
from normgrade.learner.standing import attempts_of
from normgrade.learner.workspace import Workspace, submission_of
from normgrade.report.report import Outcome, Report

FOLDER = "interviews"  # in a workspace


@dataclass(frozen=True)
class Interviews:
    """Interviews, in the file of the attempts. If it cannot be read or written, a UsageError gives the reason; nothing in it is lost."""

    kept: Attempts

    def all(self) -> list[Interview]:
        """Return all interviews, the oldest first."""
        with self.kept.reading() as database:
            return list(map(from_row, database.execute("SELECT number, told FROM interviews ORDER BY number")))

    def running(self) -> Interview | None:
        """Return the interview that was begun and not ended, if any; its time may be over."""
        return next((each for each in self.all() if each.ended is None), None)

    def begin(self, interview: Interview) -> Interview:
        """Store a new interview, and return it with its number. Raises a UsageError if an interview is running."""
        with self.kept.changing() as database:
            others = map(from_row, database.execute("SELECT number, told FROM interviews"))
            if any(each.ended is None for each in others):
                raise UsageError(_("An interview is already running. Run `normgrade interview` to continue it."))
            number = database.execute("INSERT INTO interviews (told) VALUES (?)", (told(interview),)).lastrowid
        return replace(interview, number=number or 0)

    def keep(self, interview: Interview) -> None:
        """Store the changes of an interview."""
        with self.kept.changing() as database:
            database.execute("UPDATE interviews SET told = ? WHERE number = ?", (told(interview), interview.number))


def told(interview: Interview) -> str:
    """Return an interview as JSON, without its number."""
    values = asdict(interview)
    times = {name: values[name].astimezone(UTC).isoformat(timespec="seconds") for name in ("begun", "ended") if values[name]}
    return json.dumps({**values, "ended": None, **times, "number": 0}, ensure_ascii=False)


def from_row(row: tuple[int, str]) -> Interview:
    """Return the interview in a row. Anybody may have written the row, so every value is converted to its type, or refused."""
    number, values = row[0], json.loads(row[1])
    folder = str(values["folder"])
    if folder != Path(folder).name or folder in ("", ".", "..") or "\0" in folder:
        raise ValueError(_('"{folder}" is not a valid folder name', folder=visible(folder)))
    interview = Interview(
        begun=moment(values["begun"]),
        minutes=int(values["minutes"]),
        seed=int(values["seed"]),
        folder=folder,
        tasks=tuple(map(to_task, values["tasks"])),
        asked=tuple(map(to_asked, values["asked"])),
        ended=moment(values["ended"]) if values["ended"] else None,
        number=number,
    )
    _deadline = interview.deadline  # raises OverflowError here, so that it is reported
    return interview


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def to_task(values: dict[str, Any]) -> Task:
    mistakes, saved_s = tuple(visible(str(name)) for name in values["mistakes"]), values["saved_s"]
    score = int(values["earned"]), int(values["possible"])
    return Task(visible(str(values["exercise"])), *score, bool(values["passed"]), mistakes, None if saved_s is None else int(saved_s))


def to_asked(values: dict[str, Any]) -> Asked:
    mark = values["mark"]
    return Asked(
        visible(str(values["exercise"])), int(values["number"]), visible(str(values["answer"])), None if mark is None else int(mark)
    )


# For other commands


def interviews_of(workspace: Workspace) -> Interviews:
    return Interviews(attempts_of(workspace))


def running_here() -> Interview | None:
    """Return the interview that runs in the workspace of the current folder; None if its file cannot be read.

    Other code reports that error.
    """
    with suppress(UsageError):
        workspace = Workspace.find()
        return None if workspace is None else interviews_of(workspace).running()
    return None


def file_of(exercise: Exercise, interview: Interview | None) -> Path:
    """Return the learner's file for an exercise: the one in the interview's folder if the exercise is part of the interview."""
    usual = submission_of(exercise)
    if interview is None or exercise.slug not in interview.slugs:
        return usual
    return usual.parent / FOLDER / interview.folder / exercise.file_name


def refuse_in_interview(command: str) -> None:
    """Raise a UsageError if an interview is running, because this command would help."""
    interview = running_here()
    if interview is None:
        return
    now = datetime.now(UTC)
    if interview.is_over(now):
        raise UsageError(
            _("`{command}` is not available: the time of your interview is over. Run `normgrade interview` to end it.", command=command)
        )
    raise UsageError(
        _(
            "`{command}` is not available during an interview: {left}. Run `normgrade interview --end` to end it.",
            command=command,
            left=time_left(interview, now),
        )
    )


def status_in_words(interview: Interview, now: datetime) -> str:
    """Return a sentence about the time that a running interview has left."""
    if interview.is_over(now):
        return _("The time of your interview is over. Run `normgrade interview` to end it and see the result.")
    until = interview.deadline.astimezone().strftime("%H:%M")
    return _("Interview {name}: {left}, until {until}.", name=interview.folder, left=time_left(interview, now), until=until)


def held_back(interview: Interview, reports: Sequence[Report]) -> str:
    """Return a sentence that names the failed exercises of the interview, which are not explained; "" if there are none."""
    failed = [report.exercise for report in reports if report.outcome is Outcome.FAILED and report.exercise in interview.slugs]
    if not failed:
        return ""
    return _("Failures of {exercises} are not explained during this interview.", exercises=listed(dict.fromkeys(failed)))


def going_on(interview: Interview, now: datetime) -> list[str]:
    """Return lines about a running interview: the time that is left, and the next step."""
    return [status_in_words(interview, now), *([] if interview.is_over(now) else [_("Run `normgrade interview` to continue it.")])]


def time_left(interview: Interview, now: datetime) -> str:
    """Return the time that is left, in words."""
    minutes = -(-int(interview.left(now).total_seconds()) // 60)
    return n_("{n} of {all} minutes is left", "{n} of {all} minutes are left", minutes, all=interview.minutes)


def asked_before(interviews: Sequence[Interview]) -> list[tuple[str, int]]:
    """Return the questions that were asked, each as often as it was asked."""
    return [(each.exercise, each.number) for interview in interviews for each in interview.asked]
