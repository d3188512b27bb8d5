"""The mistakes that a learner has made, and the times to ask about each again: after a day, and later each time it is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.course.own_numbers import called
from normgrade.language.docstring import as_spoken
from normgrade.learner.attempts import Attempt, Attempts
from normgrade.learner.standing import made_anew

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
