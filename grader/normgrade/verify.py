"""Proves a course: right answers pass, wrong ones fail, and every known mistake is named."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TypeVar

from normgrade.course import Exercise, read
from normgrade.grade import Desk, Options, at_desk, judgement
from normgrade.inspection import inspect_source
from normgrade.mistakes import Mistake, read_mistakes
from normgrade.report import Check, Outcome, Report
from normgrade.suite import Result

T = TypeVar("T")
Problems = Iterator[str]


def verify(exercises: Sequence[Exercise], seeds: Sequence[int] = (0,), options: Options = Options()) -> list[Report]:  # noqa: B008
    """One report per exercise, whose checks are the proofs; every seed draws other inputs."""
    return at_desk(exercises, options, lambda desk: [Proof(desk, exercise, tuple(seeds)).report() for exercise in exercises])


@dataclass(frozen=True)
class Proof:
    """Everything that has to hold of one exercise, whatever the seed of the inputs."""

    desk: Desk
    exercise: Exercise
    seeds: tuple[int, ...]
    played: dict[tuple[str, int], tuple[Result, ...]] = field(default_factory=dict)  # by the mistake's name and the seed

    def report(self) -> Report:
        started = time.perf_counter()
        checks = tuple(self.checks())
        return Report(
            exercise=self.exercise.slug,
            submission=str(self.exercise.reference.parent.relative_to(self.exercise.course)),
            outcome=judgement([check.outcome for check in checks], findings=False),
            possible=sum(check.points for check in checks),
            sandbox=self.desk.options.tier,
            seed=self.seeds[0],
            duration_s=time.perf_counter() - started,
            checks=checks,
        )

    def checks(self) -> Iterator[Check]:
        exercise, alternatives, mistakes = self.exercise, self.exercise.alternatives, read_mistakes(self.exercise)
        right = [exercise.reference, *alternatives]
        yield self.check("contract", "Stub, reference and alternatives define what the contract names, by hand.", self.contract)
        yield self.check("points", f"The points of the suite sum to {exercise.points}.", self.points)
        yield self.check("stub", "The untouched stub fails.", self.stub)
        yield self.check("right", f"The reference and {counted(len(alternatives), 'alternative')} pass.", lambda: self.right(right))
        yield self.check("wrong", f"{counted(len(mistakes), 'known mistake').capitalize()} fail.", lambda: self.wrong(mistakes))
        yield self.check("named", "Every known mistake is diagnosed by its own name, and by no other.", lambda: self.named(mistakes))

    def check(self, name: str, claim: str, prove: Callable[[], Problems]) -> Check:
        started = time.perf_counter()
        problems = list(prove())
        outcome = Outcome.FAILED if problems else Outcome.PASSED
        return Check(name, claim, "proof", outcome, 1, time.perf_counter() - started, "\n".join(problems))

    def contract(self) -> Problems:
        for path in (self.exercise.stub, self.exercise.reference, *self.exercise.alternatives):
            for finding in inspect_source(read(path), self.exercise, allow_stub=True).findings:
                yield f"{path.name}, line {finding.line}: {finding.text}"

    def points(self) -> Problems:
        points = self.desk.suites[self.exercise.slug].points
        if points != self.exercise.points:
            yield f"They sum to {points}."

    def stub(self) -> Problems:
        results = self.run(read(self.exercise.stub), self.exercise.stub.name, self.seeds[0])
        yield from broken(results, "the stub")
        if not failed(results):
            yield "It passes."

    def right(self, paths: Sequence[Path]) -> Problems:
        for path, seed in self.each(paths, "right answers"):
            for result in self.run(read(path), path.name, seed):
                if result.check.outcome is not Outcome.PASSED:
                    yield f"{path.name}, seed {seed}: {in_words(result.check)}"

    def wrong(self, mistakes: Sequence[Mistake]) -> Problems:
        for mistake, seed in self.each(mistakes, "mistakes"):
            results = self.played[mistake.name, seed] = self.run(mistake.source, self.exercise.file_name, seed)
            yield from broken(results, mistake.name)
            if not failed(results):
                yield f"{mistake.name}, seed {seed}: passes every check."

    def named(self, mistakes: Sequence[Mistake]) -> Problems:
        for mistake, seed in self.each(mistakes, "diagnoses"):
            found = self.desk.diagnose(self.exercise, self.played[mistake.name, seed])
            names = [" + ".join(diagnosis.mistakes) for diagnosis in found]
            if names != [mistake.name]:
                yield f"{mistake.name}, seed {seed}: {'taken for ' + ' or '.join(names) if names else 'not recognised'}."

    def each(self, things: Sequence[T], what: str) -> Iterator[tuple[T, int]]:
        """Every thing with every seed, and a word to whoever watches."""
        total = len(things) * len(self.seeds)
        for done, (seed, thing) in enumerate(product(self.seeds, things)):
            self.desk.options.progress(f"{self.exercise.slug}: {what}", done, total)
            yield thing, seed

    def run(self, source: str, file_name: str, seed: int) -> tuple[Result, ...]:
        return self.desk.run(self.exercise, source, file_name, seed)


def failed(results: Sequence[Result]) -> bool:
    return any(result.check.outcome is Outcome.FAILED for result in results)


def broken(results: Sequence[Result], what: str) -> Problems:
    """What the suite itself could not tell; never a proof of anything."""
    for result in results:
        if result.check.outcome is Outcome.ERROR:
            yield f"{what}: {in_words(result.check)}"


def in_words(check: Check) -> str:
    places = ", ".join(difference.place for difference in check.differences[:3])
    return " · ".join(filter(None, (f"{check.name} {check.outcome.value}", check.message, places)))


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
