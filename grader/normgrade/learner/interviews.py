"""Interviews, drawn to fit into a time, and reviews: questions about the mistakes that were made. Both are kept beside the attempts."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import own_folder, read_text, write_whole
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.course.own_numbers import called
from normgrade.course.questions import Question, questions_in
from normgrade.language import _, n_
from normgrade.language.docstring import as_spoken
from normgrade.language.errors import UsageError, listed
from normgrade.language.visible import visible
from normgrade.learner.standing import Attempt, Attempts, Record, attempts_of, made_anew, records
from normgrade.learner.workspace import Workspace, submission_of
from normgrade.report.report import Outcome, Report

T = TypeVar("T")
FOLDER = "interviews"  # in a workspace
QUESTION_MINUTES = 2
MINUTES_PER_QUESTION = 10  # of an interview: so questions take a fifth of it


class Asked(NamedTuple):
    """A question of an interview: the slug of its exercise, and its number there, from 1."""

    exercise: str
    number: int


@dataclass(frozen=True, slots=True)
class Interview:
    """An interview: its exercises, by their slugs, and its questions.

    `folder` is the name of its folder, `ended` is None while it runs, and `number` identifies it in the workspace.
    """

    begun: datetime
    minutes: int
    folder: str
    slugs: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()
    ended: datetime | None = None
    number: int = 0

    @property
    def deadline(self) -> datetime:
        return self.begun + timedelta(minutes=self.minutes)

    def left(self, now: datetime) -> timedelta:
        """Return the time that is left, between zero and the whole time even if the clock was changed."""
        return min(max(self.deadline - now, timedelta(0)), timedelta(minutes=self.minutes))

    def is_over(self, now: datetime) -> bool:
        return now >= self.deadline


# The draw


def begin(workspace: Workspace, course: Course, minutes: int, level: int, now: datetime, chance: Random) -> Interview:
    """Draw an interview, write its stubs into a new folder, and store it. Raises UsageError, and OSError if it cannot write."""
    interviews = interviews_of(workspace)
    found = [record for record in records(course, workspace) if record.exercise.level <= level]
    before = [asked for interview in interviews.all() for asked in interview.asked]
    asked = draw_questions([record.exercise for record in found], before, minutes // MINUTES_PER_QUESTION, chance)
    tasks = draw_tasks(found, minutes - len(asked) * QUESTION_MINUTES, chance)
    if not (asked or tasks):
        raise UsageError(
            _(
                "Nothing up to level {level} fits into {minutes} minutes. Use a higher --level, or more --minutes.",
                level=level,
                minutes=minutes,
            )
        )
    folder = new_folder(workspace, now)
    for record in tasks:
        write_whole(folder / record.exercise.file_name, read_text(record.exercise.stub).encode())
    slugs = tuple(record.exercise.slug for record in tasks)
    return interviews.begin(Interview(now.astimezone(UTC), minutes, folder.name, slugs, tuple(asked)))


def draw_tasks(records: Sequence[Record], minutes: int, chance: Random) -> list[Record]:
    """Return exercises that fit into the time, the easiest first.

    It prefers exercises that have not passed, then those of another part than the ones already chosen, and then important ones. An
    interviewer does not ask what comes before an exercise, so open prerequisites do not count.
    """
    left = by_importance([(record, record.exercise.importance) for record in records], chance)
    chosen: list[Record] = []
    while fitting := [record for record in left if record.exercise.minutes <= minutes]:
        parts = Counter(each.exercise.group for each in chosen)
        drawn = min(fitting, key=lambda record: (record.passed, parts[record.exercise.group]))  # min calls it at once
        chosen.append(drawn)
        left.remove(drawn)
        minutes -= drawn.exercise.minutes
    return sorted(chosen, key=lambda record: (record.exercise.level, record.exercise.order))


def draw_questions(exercises: Sequence[Exercise], before: Sequence[Asked], count: int, chance: Random) -> list[Asked]:
    """Return questions of these exercises.

    It prefers questions that were asked least often `before`, then those of another exercise and part than the ones already chosen, and
    then those of important exercises.
    """
    groups, times, chosen = {each.slug: each.group for each in exercises}, Counter(before), list[Asked]()
    numbers = {each: range(1, len(questions_in(read_text(each.prompt), each.slug)) + 1) for each in exercises if count}
    left = by_importance([(Asked(each.slug, n), each.importance) for each, known in numbers.items() for n in known], chance)
    while left and len(chosen) < count:
        slugs, parts = Counter(each.exercise for each in chosen), Counter(groups[each.exercise] for each in chosen)
        drawn = min(left, key=lambda each: (times[each], slugs[each.exercise], parts[groups[each.exercise]]))  # min calls it at once
        chosen.append(drawn)
        left.remove(drawn)
    return chosen


def by_importance(items: Sequence[tuple[T, int]], chance: Random) -> list[T]:
    """Return the items in a random order: one of an importance is twice as likely to come first as one of the importance below."""
    return [item for item, _importance in sorted(items, key=lambda each: chance.random() ** (1 / 2 ** each[1]), reverse=True)]


def question_of(course: Course, asked: Asked) -> Question:
    """Return a question in the current language."""
    files = course.files(asked.exercise)
    questions = questions_in(read_text(files.prompt), files.slug) if files.prompt.is_file() else ()
    gone = Question(asked.exercise, _("question {number}, which is no longer in the prompt", number=asked.number), "")
    return questions[asked.number - 1] if asked.number <= len(questions) else gone


# Folder and database


def new_folder(workspace: Workspace, now: datetime) -> Path:
    """Make a new folder in `interviews`, named after the day, and return it. Raises OSError."""
    parent = own_folder(workspace.root / FOLDER)
    names = (f"{now:%Y-%m-%d}-{number}" for number in range(1, 10_000))
    folder = next(parent / name for name in names if not os.path.lexists(parent / name))
    folder.mkdir()
    return folder


def folder_of(workspace: Workspace, interview: Interview) -> Path:
    """Return the folder of an interview. Raises a UsageError if it is gone, or is a link."""
    folder = workspace.root / FOLDER / interview.folder
    if not folder.is_dir() or folder.is_symlink() or folder.parent.is_symlink():
        raise UsageError(
            _(
                'The folder of your interview, "{folder}", does not exist or is a link. Restore the folder, or create it again.',
                folder=folder,
            )
        )
    return folder


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
    values = {
        "begun": interview.begun.isoformat(),
        "ended": interview.ended and interview.ended.isoformat(),
        "minutes": interview.minutes,
        "folder": interview.folder,
        "tasks": [{"exercise": slug} for slug in interview.slugs],
        "asked": [asked._asdict() for asked in interview.asked],
    }
    return json.dumps(values, ensure_ascii=False)


def from_row(row: tuple[int, str]) -> Interview:
    """Return the interview in a row. Anybody may have written the row, so every value is converted to its type, or refused."""
    number, values = row[0], json.loads(row[1])
    folder = str(values["folder"])
    if folder != Path(folder).name or folder in ("", ".", "..") or "\0" in folder:
        raise ValueError(_('"{folder}" is not a valid folder name', folder=visible(folder)))
    slugs = (visible(str(each["exercise"])) for each in values["tasks"])
    asked = (Asked(visible(str(each["exercise"])), int(each["number"])) for each in values["asked"])
    ended = moment(values["ended"]) if values["ended"] else None
    interview = Interview(moment(values["begun"]), int(values["minutes"]), folder, tuple(slugs), tuple(asked), ended, number)
    _deadline = interview.deadline  # raises OverflowError here, so that it is reported
    return interview


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


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
    if (interview := running_here()) is not None:
        status = " ".join(going_on(interview, datetime.now(UTC)))
        raise UsageError(_("`{command}` is not available during an interview. {status}", command=command, status=status))


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


# Reviews


PAUSES = tuple(timedelta(days=days) for days in (1, 3, 7, 21, 60))  # before the next question, by how often in a row it was found


@dataclass(frozen=True, slots=True)
class Review:
    """One question about a mistake. `knew` is True if the learner found its line."""

    at: datetime
    exercise: str
    mistake: str
    knew: bool


@dataclass(frozen=True, slots=True)
class Slip:
    """A mistake that was made.

    `times` counts how often, `made` is the last time, and `seen` is the last time that it was made or asked about. `found` counts how often
    in a row it has been found since.
    """

    exercise: str
    mistake: str
    times: int
    made: datetime
    seen: datetime
    found: int = 0

    @property
    def due(self) -> datetime:
        """The time of the next question."""
        return self.seen + PAUSES[min(self.found, len(PAUSES) - 1)]


@dataclass(frozen=True)
class Reviews:
    """Reviews, in the file of the attempts. If it cannot be read or written, a UsageError gives the reason."""

    kept: Attempts

    def add(self, review: Review) -> None:
        row = review.at.astimezone(UTC).isoformat(timespec="seconds"), review.exercise, review.mistake, int(review.knew)
        with self.kept.changing() as database:
            database.execute("INSERT INTO reviews (at, exercise, mistake, knew) VALUES (?, ?, ?, ?)", row)

    def all(self) -> list[Review]:
        """Return all reviews, the oldest first."""
        with self.kept.reading() as database:
            rows = database.execute("SELECT at, exercise, mistake, knew FROM reviews ORDER BY number")
            return [Review(datetime.fromisoformat(at).astimezone(UTC), str(slug), str(name), bool(knew)) for at, slug, name, knew in rows]


def slips(attempts: Iterable[Attempt], reviews: Iterable[Review]) -> list[Slip]:
    """Return every mistake that was made, the first one due first. If several attempts in a row have a mistake, it was made once."""
    found: dict[tuple[str, str], Slip] = {}
    tried = sorted(attempts, key=lambda attempt: attempt.at)
    anew = {(id(attempt), name) for attempt, name in made_anew(tried)}
    events: list[Attempt | Review] = [*tried, *reviews]
    for event in sorted(events, key=lambda event: event.at):
        for name in event.diagnoses if isinstance(event, Attempt) else (event.mistake,):
            key = event.exercise, name
            before = found.get(key, Slip(*key, 0, event.at, event.at))
            if isinstance(event, Attempt):
                found[key] = replace(before, times=before.times + ((id(event), name) in anew), made=event.at, seen=event.at, found=0)
            elif key in found:
                found[key] = replace(before, seen=event.at, found=before.found + 1 if event.knew else 0)
    return sorted(found.values(), key=lambda slip: (slip.due, slip.exercise, slip.mistake))


@dataclass(frozen=True, slots=True)
class Hunt:
    """A right answer with one mistake in it. `lines` are the lines that show the mistake, counted from 1."""

    slip: Slip
    mistake: Mistake
    source: str
    lines: tuple[int, ...]


def hunts(course: Course, found: Iterable[Slip], passed: Iterable[str]) -> Iterator[Hunt]:
    """Yield a question for each known mistake of exercises that have passed and are fully revealed: their solution is no longer secret."""
    known: dict[str, tuple[Mistake, ...]] = {}
    open_ones = {each.slug: each for each in course if each.slug in {*passed} and each.reveal == "full"}
    for slip in found:
        if slip.exercise in open_ones:
            exercise = open_ones[slip.exercise]
            mistakes = known.setdefault(slip.exercise, read_mistakes(exercise))
            if (mistake := called(slip.mistake, mistakes, read_text(exercise.reference))) is not None:
                yield hunt(exercise, slip, mistake)


def hunt(exercise: Exercise, slip: Slip, mistake: Mistake) -> Hunt:
    right, wrong = as_spoken(read_text(exercise.reference)), as_spoken(mistake.source)
    return Hunt(slip, mistake, wrong, changed(right.splitlines(), wrong.splitlines()))


def changed(right: Sequence[str], wrong: Sequence[str]) -> tuple[int, ...]:
    """Return the lines of the wrong source that are not in the right one. If lines are missing, return those around the gap."""
    lines = set[int]()
    for kind, _begin, _end, first, last in SequenceMatcher(None, right, wrong, autojunk=False).get_opcodes():
        if kind == "delete":
            lines |= {first, first + 1}
        elif kind != "equal":
            lines |= set(range(first + 1, last + 1))
    return tuple(sorted(line for line in lines if 1 <= line <= len(wrong)))
