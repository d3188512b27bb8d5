"""Grade submissions: the steps from file to report, in order."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from normgrade.course.course import Exercise, Limits, read
from normgrade.course.folders import user_cache, user_config
from normgrade.inspection.inspection import Inspection, inspect_file
from normgrade.language import _
from normgrade.oracle.seal import Seal
from normgrade.report.report import Check, Diagnosis, Outcome, Report
from normgrade.worker.walls import AUTO

if TYPE_CHECKING:  # NumPy, pytest and torch are loaded once the zygote is on its way
    from normgrade.compare.played import Result
    from normgrade.oracle.expectation import Oracle
    from normgrade.suite.run import Suite
    from normgrade.worker.host import Host

T = TypeVar("T")
Told = Callable[[Check | Report], None]  # hears every check as it ends, and the report before the mistake is looked for
SEARCH_S = 10.0  # for the mistake; at most half of what is left of the time for all checks
LEAST_LEFT_S = 2.0  # for a search to begin: half of it is about what the import of PyTorch takes
NOTHING_RAN = "none"  # the sandbox of a submission that was only read


@dataclass(frozen=True, slots=True)
class Submission:
    """A learner's file for one exercise, under the name that the report gives it."""

    exercise: Exercise
    path: Path
    name: str


class Progress(Protocol):
    """Told what is going on; the command line draws it."""

    def __call__(self, what: str, done: int, total: int) -> None: ...


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def unheard(news: Check | Report) -> None:
    """What is told to nobody."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to grade: the seed of the inputs, the time for all answers of a submission, whether a stub is graded like any file."""

    seed: int = 0
    timeout_s: float | None = None
    allow_stub: bool = False
    tier: str = AUTO  # the strongest walls to stand behind
    required: str = "process"  # the weakest
    progress: Progress = silent


def grade(submissions: Sequence[Submission], options: Options = Options()) -> list[Report]:
    """Reports on the submissions, in their order. One zygote and one pytest serve them all."""
    inspected = [(each, inspect_file(each.path, each.exercise, allow_stub=options.allow_stub)) for each in submissions]
    playable = [submission.exercise for submission, inspection in inspected if inspection.playable]
    if not playable:
        return [inspected_only(submission, inspection, options) for submission, inspection in inspected]

    def all_of_them(desk: Desk) -> list[Report]:
        return [desk.report(submission, inspection) for submission, inspection in inspected]

    return at_desk(playable, options, all_of_them)


def inspected_only(submission: Submission, inspection: Inspection, options: Options) -> Report:
    """The report on a file of which nothing was run."""
    outcome = Outcome.FAILED if inspection.started else Outcome.NOT_STARTED
    exercise = submission.exercise
    return Report(
        exercise=exercise.slug,
        submission=submission.name,
        outcome=outcome,
        possible=exercise.points,
        sandbox=NOTHING_RAN,
        seed=options.seed,
        duration_s=0.0,
        findings=inspection.findings,
        source=inspection.source or "",
        digest=inspection.digest,
        course=exercise.other_course,
    )


@dataclass(frozen=True)
class Desk:
    """Everything that grading needs, opened once for any number of submissions."""

    host: Host
    suites: Mapping[str, Suite]
    oracles: Mapping[str, Oracle]
    options: Options

    def report(self, submission: Submission, inspection: Inspection, told: Told = unheard) -> Report:
        """The report on a file, whether there is anything to play or not."""
        return self.grade(submission, inspection, told) if inspection.playable else inspected_only(submission, inspection, self.options)

    def grade(self, submission: Submission, inspection: Inspection, told: Told = unheard) -> Report:
        """Run the hidden suite on what inspection found runnable, and look for the mistakes that explain what failed."""
        assert inspection.source is not None
        exercise, started = submission.exercise, time.perf_counter()
        progress, total = self.options.progress, len(self.suites[exercise.slug].items)
        ticks = count(1)

        def ended(check: Check) -> None:
            progress(submission.name, next(ticks), total)
            told(check)

        results = self.run(exercise, inspection.source, submission.path.name, self.options.seed, ended)
        checks, standing = tuple(result.check for result in results), self.host.standing
        report = Report(
            exercise=exercise.slug,
            submission=submission.name,
            outcome=judgement([check.outcome for check in checks], bool(inspection.findings)),
            possible=exercise.points,
            sandbox=standing.tier,
            seed=self.options.seed,
            duration_s=time.perf_counter() - started,
            findings=inspection.findings,
            checks=checks,
            lost=standing.loses,
            source=inspection.source,
            digest=inspection.digest,
            course=exercise.other_course,
        )
        if not any(check.outcome is Outcome.FAILED for check in checks):
            return report
        told(report)
        progress(_("{submission}: looking for the mistake", submission=submission.name), 0, 0)
        left_s = self.limits(exercise).total_s - self.host.used_s
        searched = self.search(report, exercise, results, min(SEARCH_S, left_s / 2) if left_s > LEAST_LEFT_S else 0.0)
        return replace(searched, duration_s=time.perf_counter() - started)

    def run(
        self,
        exercise: Exercise,
        source: str,
        file_name: str,
        seed: int,
        ended: Callable[[Check], None] = unheard,
        hasty: bool = False,
    ) -> tuple[Result, ...]:
        """The hidden suite on one source, played by a worker; in haste, until the first failure."""
        from normgrade.worker.wire import Ban

        suite, probes = self.suites[exercise.slug], exercise.probes
        ban = Ban(exercise.banned, exercise.allowed)
        with self.host.worker(source, file_name, None if probes is None else read(probes), self.limits(exercise), ban) as worker:
            return suite.run(worker, self.oracles[exercise.slug], read(exercise.reference), seed, ended, hasty)

    def limits(self, exercise: Exercise) -> Limits:
        limits, total_s = exercise.limits, self.options.timeout_s
        return limits if total_s is None else replace(limits, answer_s=min(limits.answer_s, total_s), total_s=total_s)

    def search(self, report: Report, exercise: Exercise, results: Sequence[Result], within_s: float) -> Report:
        """The report with the mistakes that explain it, or with the time after which they are not looked for any more."""
        from normgrade.compare.diagnose import OutOfTime

        if not within_s:
            return replace(report, stopped_after_s=within_s)
        try:
            return replace(report, diagnoses=self.diagnose(exercise, results, within_s))
        except OutOfTime:
            return replace(report, stopped_after_s=within_s)

    def diagnose(self, exercise: Exercise, results: Sequence[Result], within_s: float = math.inf) -> tuple[Diagnosis, ...]:
        from normgrade.compare.diagnose import diagnose
        from normgrade.course.mistakes import read_mistakes

        reference = read(exercise.reference)
        clock = time.thread_time if self.options.timeout_s is None else time.monotonic  # who sets a time means that of the day
        return diagnose(results, reference, read_mistakes(exercise), self.oracles[exercise.slug], within_s, clock)


def judgement(outcomes: Sequence[Outcome], findings: bool) -> Outcome:
    """What becomes of the whole: a broken suite outweighs all, then one failure or finding is enough."""
    if Outcome.ERROR in outcomes:
        return Outcome.ERROR
    passed = not findings and all(outcome is Outcome.PASSED for outcome in outcomes)
    return Outcome.PASSED if passed else Outcome.FAILED


def at_desk(exercises: Sequence[Exercise], options: Options, work: Callable[[Desk], T]) -> T:
    """Start the zygote and, while it imports torch, pytest and the suites of the exercises; then do the work."""
    from normgrade.worker.host import Host

    with Seal(user_config()) as seal, Host(options.tier, options.required, stand=seal.stand_behind) as host:
        from normgrade.oracle.cache import Cache
        from normgrade.oracle.expectation import Oracle
        from normgrade.suite.run import with_suites

        kept = Cache(user_cache(), seal.key)
        distinct = {exercise.slug: exercise for exercise in exercises}
        oracles = {slug: Oracle(kept, None if exercise.probes is None else read(exercise.probes)) for slug, exercise in distinct.items()}
        try:
            return with_suites(list(distinct.values()), lambda suites: work(Desk(host, suites, oracles, options)))
        finally:
            kept.sweep()
