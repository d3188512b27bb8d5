"""A learner's standing at every exercise, and the next step."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise, by_worth
from normgrade.inspection.inspection import inspect_file
from normgrade.language import _
from normgrade.learner.attempts import Attempt, Attempts
from normgrade.learner.workspace import Workspace, submission_of


@dataclass(frozen=True)
class Record:
    """All attempts at one exercise, the oldest first. `started` is True if its file differs from the stub.

    `before` are the slugs of exercises that should come first and have not passed yet. `rank` is its place among all exercises by worth.
    """

    exercise: Exercise
    attempts: tuple[Attempt, ...]
    started: bool
    before: tuple[str, ...] = ()
    rank: int = 0

    @property
    def passed(self) -> bool:
        return any(attempt.passed for attempt in self.attempts)

    @property
    def last(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def best(self) -> int:
        """The highest score of any attempt."""
        return max((attempt.earned for attempt in self.attempts), default=0)

    @property
    def standing(self) -> str:
        """The standing in words: "passed", the best score, or "started" or "not started" if there are no attempts."""
        if self.passed:
            return _("passed")
        if self.last is not None:
            return _("best {best}/{possible}", best=self.best, possible=self.last.possible)
        return _("started") if self.started else _("not started")


def records(course: Course, workspace: Workspace | None) -> list[Record]:
    """Return a record for every exercise of the course, in its order. Without a workspace no attempts are known."""
    file_of = submission_of if workspace is None else workspace.submission
    tried: dict[str, list[Attempt]] = {}
    for attempt in attempts_of(workspace).attempts() if workspace is not None else ():
        tried.setdefault(attempt.exercise, []).append(attempt)
    ranks = {exercise.slug: rank for rank, exercise in enumerate(by_worth(list(course)))}
    found = [Record(each, tuple(tried.get(each.slug, ())), is_started(file_of(each), each), rank=ranks[each.slug]) for each in course]
    open_ones = {record.exercise.slug for record in found if not record.passed}
    return [replace(each, before=tuple(slug for slug in each.exercise.after if slug in open_ones)) for each in found]


def attempts_of(workspace: Workspace) -> Attempts:
    """Return the attempts of a workspace; their file need not exist yet."""
    return Attempts(workspace.data / "progress.db")


def is_started(path: Path, exercise: Exercise) -> bool:
    """Return True if there is a file, and it differs from the stub."""
    return os.path.lexists(path) and inspect_file(path, exercise).started


def next_record(records: Sequence[Record]) -> Record | None:
    """Return the next exercise among those that have not passed; None if all have.

    It is the one that was tried last, else the first one that is started, else the first. Exercises without open prerequisites come first,
    and then those that are worth more.
    """
    open_ones = [record for record in records if not record.passed]
    tried = [record for record in open_ones if record.attempts]
    if tried:
        return max(tried, key=lambda record: record.attempts[-1].at)
    return min(open_ones, key=lambda record: (not record.started, *turn(record)), default=None)


def turn(record: Record) -> tuple[bool, int]:
    """Return a sort key; the lowest exercise is the next: it has no open prerequisites, and is worth most."""
    return bool(record.before), record.rank


def others_open(records: Sequence[Record]) -> list[Record]:
    """Return the other exercises that could be next, the best first: not passed, and without open prerequisites."""
    following = next_record(records)
    return sorted((each for each in records if not (each.passed or each.before or each == following)), key=turn)


def next_after(records: Sequence[Record], current: Exercise, seen: Sequence[Exercise]) -> Exercise | None:
    """Return the exercise after the current one: if that has passed, the next of all, else the next of those that are not in `seen`.

    If all others are in `seen`, it is the next of them. It is None if all others have passed.
    """
    others = [record for record in records if record.exercise != current]
    passed = any(record.passed for record in records if record.exercise == current)
    unseen = [record for record in others if passed or record.exercise not in seen]
    found = next_record(unseen) or next_record(others)
    return None if found is None else found.exercise


def advice(records: Sequence[Record], brief: bool = False) -> str:
    """Return the next step, in one or two sentences. `brief` omits the name of the file, for learners who have passed an exercise."""
    record = next_record(records)
    if record is None:
        return _("All exercises have passed. Run `normgrade check --seed random` to grade them on new inputs.")
    exercise, slug, last = record.exercise, record.exercise.slug, record.last
    where = _("{slug} (level {level}, {group})", slug=slug, level=exercise.level, group=exercise.group)
    if last is not None:
        return _(
            "Continue with {where}: {earned} of {possible} points at the last check. Run `normgrade hint {slug}` for a hint.",
            where=where,
            earned=last.earned,
            possible=last.possible,
            slug=slug,
        )
    if record.started:
        return _("Continue with {where}, which is started. Run `normgrade check {slug}` to grade it.", where=where, slug=slug)
    if brief:
        return _("Next is {where}. Run `normgrade show {slug}` to see the task.", where=where, slug=slug)
    return _(
        "Next is {where}. Run `normgrade show {slug}` to see the task, and write your code in {file}.",
        where=where,
        slug=slug,
        file=exercise.file_name,
    )


def frequent_mistakes(records: Sequence[Record]) -> Mapping[str, int]:
    """Return how often each mistake was made anew, the most frequent first."""
    counted = Counter(name for record in records for _attempt, name in made_anew(record.attempts))
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def made_anew(attempts: Iterable[Attempt]) -> Iterator[tuple[Attempt, str]]:
    """Yield each attempt with each mistake that the previous attempt at the same exercise did not have."""
    before: dict[str, tuple[str, ...]] = {}
    for attempt in attempts:
        yield from ((attempt, name) for name in attempt.diagnoses if name not in before.get(attempt.exercise, ()))
        before[attempt.exercise] = attempt.diagnoses
