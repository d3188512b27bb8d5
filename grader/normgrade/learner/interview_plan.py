"""An interview: exercises and questions that fit into a time, drawn at random, and what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from normgrade.learner.standing import Record

T = TypeVar("T")
Asking = tuple[str, int]  # a question: the slug of its exercise, and its number there, from 1
# What someone takes who has written the layer before and does not look it up. A warm-up is one formula, level 2 adds a contract,
# level 3 state or a second mode, level 4 a mechanism of its own. An answer is said in two minutes.
MINUTES = {1: 5, 2: 10, 3: 15, 4: 25}  # by level
QUESTION_MINUTES = 2
MINUTES_PER_QUESTION = 10  # of an interview, unless its number of questions is said: so questions take a fifth of it
MOST_MARKS = 2  # that one gives oneself for an answer


@dataclass(frozen=True, slots=True)
class Task:
    """An exercise of an interview, and at its end what became of it; `saved_s` is how long after the beginning its file was saved last.

    `saved_s` is None where the file is the stub, or is gone.
    """

    exercise: str
    earned: int = 0
    possible: int = 0
    passed: bool = False
    mistakes: tuple[str, ...] = ()
    saved_s: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of an interview, with the answer that was typed, and the mark that one gave oneself; None before."""

    exercise: str
    number: int
    answer: str = ""
    mark: int | None = None

    @property
    def unmarked(self) -> bool:
        return bool(self.answer) and self.mark is None


@dataclass(frozen=True, slots=True)
class Interview:
    """An interview. `folder` is the name of its folder, and `ended` is None while it runs; `number` is its own in the workspace."""

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
        """Those of its exercises."""
        return frozenset(task.exercise for task in self.tasks)

    @property
    def unmarked(self) -> int:
        """How many answers have no mark yet."""
        return sum(asked.unmarked for asked in self.asked)

    def left(self, now: datetime) -> timedelta:
        """The time that is left: from nothing to all of it, wherever the clock was set to."""
        return min(max(self.deadline - now, timedelta(0)), timedelta(minutes=self.minutes))

    def is_over(self, now: datetime) -> bool:
        return now >= self.deadline

    def earned(self) -> tuple[int, int]:
        """The points of the code, and how many there were."""
        return sum(task.earned for task in self.tasks), sum(task.possible for task in self.tasks)

    def marks(self) -> tuple[int, int]:
        """The marks of the answers, and how many there could be."""
        return sum(each.mark or 0 for each in self.asked), MOST_MARKS * len(self.asked)


def questions_for(minutes: int) -> int:
    """How many questions an interview has, unless that is said."""
    return minutes // MINUTES_PER_QUESTION


def draw_tasks(records: Sequence[Record], minutes: int, level: int, seed: int) -> list[Record]:
    """Exercises up to a level that fit into the time, the easiest first.

    Rather those that have not passed, and that nothing is best done before; then those of another part and level than the others.
    """
    left, chosen = shuffled([record for record in records if record.exercise.level <= level], seed), list[Record]()
    while fitting := [record for record in left if MINUTES[record.exercise.level] <= minutes]:
        parts, levels = Counter(each.exercise.group for each in chosen), Counter(each.exercise.level for each in chosen)
        drawn = min(fitting, key=preference(parts, levels))
        chosen.append(drawn)
        left.remove(drawn)
        minutes -= MINUTES[drawn.exercise.level]
    return sorted(chosen, key=lambda record: (record.exercise.level, record.exercise.order))


def preference(parts: Mapping[str, int], levels: Mapping[int, int]) -> Callable[[Record], tuple[bool, bool, int, int]]:
    """A sort key, where `parts` and `levels` count what is chosen already; the lowest exercise is drawn."""
    return lambda record: (record.passed, bool(record.before), parts[record.exercise.group], levels[record.exercise.level])


def draw_questions(records: Sequence[Record], known: Mapping[str, int], asked: Sequence[Asking], count: int, level: int, seed: int
                   ) -> list[Asking]:  # fmt: skip
    """Questions of exercises up to a level. `known` says how many each exercise has, and `asked` which were asked in other interviews.

    Rather those that were not asked, and then those of another exercise and part than the others.
    """
    groups = {record.exercise.slug: record.exercise.group for record in records if record.exercise.level <= level}
    left = shuffled([(slug, number) for slug in groups for number in range(1, known.get(slug, 0) + 1)], seed)
    times, chosen = Counter(asked), list[Asking]()
    while left and len(chosen) < count:
        slugs, parts = Counter(slug for slug, _number in chosen), Counter(groups[slug] for slug, _number in chosen)
        drawn = min(left, key=lambda each: (times[each], slugs[each[0]], parts[groups[each[0]]]))  # min calls it at once
        chosen.append(drawn)
        left.remove(drawn)
    return chosen


def shuffled(items: Sequence[T], seed: int) -> list[T]:
    return Random(seed).sample(items, len(items))
