"""The plan of an interview: exercises and questions that fit into its time, drawn at random, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from normgrade.learner.standing import Record

T = TypeVar("T")
Asking = tuple[str, int]  # a question: the slug of its exercise, and its number there, from 1
QUESTION_MINUTES = 2
MINUTES_PER_QUESTION = 10  # of an interview, by default: so questions take a fifth of it
MOST_MARKS = 2  # that learners may give themselves for an answer


@dataclass(frozen=True, slots=True)
class Task:
    """An exercise of an interview, with its result after the end.

    `saved_s` is the time from the beginning of the interview to the last save of the file, in seconds. It is None if the file is the stub,
    or is gone.
    """

    exercise: str
    earned: int = 0
    possible: int = 0
    passed: bool = False
    mistakes: tuple[str, ...] = ()
    saved_s: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of an interview, with the typed answer, and the learner's own mark for it; None before it is marked."""

    exercise: str
    number: int
    answer: str = ""
    mark: int | None = None

    @property
    def unmarked(self) -> bool:
        return bool(self.answer) and self.mark is None


@dataclass(frozen=True, slots=True)
class Interview:
    """An interview. `folder` is the name of its folder, `ended` is None while it runs, and `number` identifies it in the workspace."""

    begun: datetime
    minutes: int
    seed: int
    folder: str
    tasks: tuple[Task, ...] = ()
    asked: tuple[Asked, ...] = ()
    ended: datetime | None = None
    number: int = 0

    @property
    def deadline(self) -> datetime:
        return self.begun + timedelta(minutes=self.minutes)

    @property
    def slugs(self) -> frozenset[str]:
        """The slugs of its exercises."""
        return frozenset(task.exercise for task in self.tasks)

    @property
    def unmarked(self) -> int:
        """The number of answers without a mark."""
        return sum(asked.unmarked for asked in self.asked)

    def left(self, now: datetime) -> timedelta:
        """Return the time that is left, between zero and the whole time even if the clock was changed."""
        return min(max(self.deadline - now, timedelta(0)), timedelta(minutes=self.minutes))

    def is_over(self, now: datetime) -> bool:
        return now >= self.deadline

    def earned(self) -> tuple[int, int]:
        """Return the points of the code, and the possible points."""
        return sum(task.earned for task in self.tasks), sum(task.possible for task in self.tasks)

    def marks(self) -> tuple[int, int]:
        """Return the sum of the marks of the answers, and the largest possible sum."""
        return sum(each.mark or 0 for each in self.asked), MOST_MARKS * len(self.asked)


def questions_for(minutes: int) -> int:
    """Return the default number of questions for an interview of this length."""
    return minutes // MINUTES_PER_QUESTION


def draw_tasks(records: Sequence[Record], minutes: int, level: int, seed: int) -> list[Record]:
    """Return exercises up to a level that fit into the time, the easiest first.

    It prefers exercises that have not passed, then those of another part than the ones already chosen, and then important ones. An
    interviewer does not ask what comes before an exercise, so open prerequisites do not count.
    """
    left = by_importance([(record, record.exercise.importance) for record in records if record.exercise.level <= level], seed)
    chosen: list[Record] = []
    while fitting := [record for record in left if record.exercise.minutes <= minutes]:
        parts = Counter(each.exercise.group for each in chosen)
        drawn = min(fitting, key=lambda record: (record.passed, parts[record.exercise.group]))  # min calls it at once
        chosen.append(drawn)
        left.remove(drawn)
        minutes -= drawn.exercise.minutes
    return sorted(chosen, key=lambda record: (record.exercise.level, record.exercise.order))


def draw_questions(records: Sequence[Record], known: Mapping[str, int], asked: Sequence[Asking], count: int, level: int, seed: int
                   ) -> list[Asking]:  # fmt: skip
    """Return questions of exercises up to a level.

    `known` is the number of questions of each exercise, and `asked` are the questions of other interviews. It prefers questions that were
    asked least often, then those of another exercise and part than the ones already chosen, and then those of important exercises.
    """
    exercises = [record.exercise for record in records if record.exercise.level <= level]
    groups = {each.slug: each.group for each in exercises}
    left = by_importance([((each.slug, n), each.importance) for each in exercises for n in range(1, known.get(each.slug, 0) + 1)], seed)
    times, chosen = Counter(asked), list[Asking]()
    while left and len(chosen) < count:
        slugs, parts = Counter(slug for slug, _number in chosen), Counter(groups[slug] for slug, _number in chosen)
        drawn = min(left, key=lambda each: (times[each], slugs[each[0]], parts[groups[each[0]]]))  # min calls it at once
        chosen.append(drawn)
        left.remove(drawn)
    return chosen


def by_importance(items: Sequence[tuple[T, int]], seed: int) -> list[T]:
    """Return the items in a random order: one of an importance is twice as likely to come first as one of the importance below."""
    chance = Random(seed)
    return [item for item, _importance in sorted(items, key=lambda each: chance.random() ** (1 / 2 ** each[1]), reverse=True)]
