"""The answers of an exercise, played as its proofs need them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import product
from typing import TypeVar

from normgrade.compare.played import Result
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.grading.grader import Grader
from normgrade.grading.parallel import Tick
from normgrade.grading.preparation import prepare
from normgrade.grading.run import gone
from normgrade.language import _
from normgrade.report.report import Outcome
from normgrade.verify.habits import Habit, fitting, with_habit
from normgrade.verify.mutants import Mutant, mutants_of
from normgrade.worker.wire.observation import BY_HAND

T = TypeVar("T")


@dataclass(frozen=True)
class Plays:
    """The plays of one exercise. `tick` is called after each answer."""

    grader: Grader
    exercise: Exercise
    tick: Tick
    played: dict[tuple[str, int], list[Result]] = field(default_factory=dict)  # by the source and the seed
    broken: list[Result] = field(default_factory=list)  # results that ended in an error of the suite itself

    def each(self, things: Sequence[T], what: str, seeds: Sequence[int]) -> Iterator[tuple[T, int]]:
        """Yield each pair of a thing and a seed, and report progress after each."""
        for seed, thing in product(seeds, things):
            yield thing, seed
            self.tick(_("{exercise}: {what}", exercise=self.exercise.slug, what=what))

    def run(self, source: str, file_name: str, seed: int) -> list[Result]:
        """Return the results of a source with a seed. Several proofs ask for some of them; each is played once."""
        if (source, seed) not in self.played:
            prepare(self.grader, self.exercise, seed)
            self.played[source, seed] = self.look(self.grader.results(self.exercise, source, file_name, seed))
        return self.played[source, seed]

    def alone(self, source: str, seed: int) -> Generator[Result]:
        """Yield the results of a wrong answer, in a process of its own."""
        prepare(self.grader, self.exercise, seed)
        return self.grader.results(self.exercise, source, self.exercise.file_name, seed)

    def until(self, pass_for_right: Callable[[Iterable[Result]], bool], coming: Generator[Result]) -> list[Result]:
        """Return the results of a wrong answer, up to the first with which it no longer passes for right."""
        results = []
        with closing(coming):
            for result in coming:
                results.append(result)
                if not pass_for_right([result]):
                    break
        return self.look(results)

    def look(self, results: Iterable[Result]) -> list[Result]:
        """Return all results, and remember those that the suite itself has broken."""
        found = list(results)
        self.broken.extend(result for result in found if result.check.outcome is Outcome.ERROR)
        return found

    def surviving_mutants(self, numbers: Sequence[int]) -> Iterator[Mutant]:
        """Yield those of these mutants that pass every check.

        One process plays them one after the other: starting a new one for each takes as long as all its plays. If a mutant ends the
        process, it is played again in its own.
        """
        every = mutants_of(read_text(self.exercise.reference))
        with self.grader.course_worker(self.exercise) as course_worker:
            for mutant, seed in self.each([every[number] for number in numbers], _("mutants"), (self.grader.options.seed,)):
                results = self.until(unseen, self.grader.results_in(course_worker, mutant.source))
                if any(gone(play.observation) for result in results for play in result.plays):
                    results = self.until(unseen, self.alone(mutant.source, seed))
                if not failed(results):
                    yield mutant

    def surviving_habits(self, numbers: Sequence[int]) -> Iterator[Habit]:
        """Yield those of these habits that pass every check.

        Each is played in a process of its own, as some change settings of the whole process.
        """
        every = fitting(self.exercise)
        for habit, seed in self.each([every[number] for number in numbers], _("habits"), (self.grader.options.seed,)):
            if not failed(self.until(unseen, self.alone(with_habit(self.exercise, habit), seed))):
                yield habit


def failed(results: Iterable[Result]) -> bool:
    """Return True if any check failed."""
    return any(result.check.outcome is Outcome.FAILED for result in results)


def unseen(results: Iterable[Result]) -> bool:
    """Return True if no check failed, and none ended in an error of the suite, which could have failed."""
    return all(result.check.outcome not in (Outcome.FAILED, Outcome.ERROR) for result in results)


def passes(results: Iterable[Result]) -> bool:
    """Return True if no check failed or ended in an error of the suite, without counting courtesies that failed."""
    return unseen(result for result in results if not result.check.asked_in_vain)


def rejected(results: Iterable[Result]) -> bool:
    """Return True if any check failed that decides."""
    return any(result.check.decides for result in results)


def refused_by_hand(result: Result) -> bool:
    """Return True if a check failed because something banned was called."""
    errors = (play.observation.error for play in result.plays)
    return result.check.outcome is Outcome.FAILED and any(error is not None and BY_HAND in error.types for error in errors)
