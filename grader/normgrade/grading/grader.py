"""The grader: everything that grading needs, opened once for any number of submissions by `open_grader`."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from normgrade.compare.played import Result
from normgrade.course.exercise import Exercise, Limits
from normgrade.course.files import read_text, read_where_there
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.course.tensor_library import Library
from normgrade.diagnosis.candidates import candidates
from normgrade.diagnosis.deadline import NEVER, Deadline, OutOfTime
from normgrade.diagnosis.footprints import Footprints
from normgrade.diagnosis.investigation import Found, Investigation
from normgrade.diagnosis.more_plays import MorePlays, NoMorePlays
from normgrade.diagnosis.questioning import Questioning
from normgrade.diagnosis.records import Records
from normgrade.grading.course_worker import CourseWorker
from normgrade.grading.grading_options import PUBLIC_SEED, Options, crowding
from normgrade.grading.in_process import InProcess
from normgrade.grading.new_workers import InNewWorkers
from normgrade.grading.recordings import Recordings
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.run import Run
from normgrade.grading.tracking import at_hand, footprints, key_of_one, none_of, plays_of
from normgrade.oracle.oracle import Oracle
from normgrade.report.report import Outcome
from normgrade.suite.suite import Suite
from normgrade.worker.trusted.host import Host, Worker

MOST_RUNS = 64  # held at once: enough for each exercise of a course, with one seed
LEAST_LEFT_S = 2.0  # for a search to begin: the import of PyTorch takes about half of it


@dataclass(frozen=True, slots=True)
class Submitted:
    """The source of a submission, and the name of its file."""

    source: str
    file_name: str


@dataclass(frozen=True)
class Grader:
    """A grader that plays the hidden suites of some exercises. The mappings are by slug, except for `hosts`, which is by library."""

    hosts: Mapping[Library, Host]
    suites: Mapping[str, Suite]
    oracles: Mapping[str, Oracle]
    options: Options
    reference_runs: dict[tuple[str, int], ReferenceRun] = field(default_factory=dict)  # by slug and seed
    tracked: dict[str, Footprints] = field(default_factory=dict, repr=False)  # by slug
    records: dict[str, Records] = field(default_factory=dict, repr=False)  # by slug
    recordings: dict[str, Recordings] = field(default_factory=dict, repr=False)  # by slug

    def results(self, exercise: Exercise, source: str, file_name: str, seed: int | None = None) -> Generator[Result]:
        """Yield the result of each check as soon as it is known. The worker ends after the last one, or when the generator is closed."""
        reference_run, suite = self.reference_run(exercise, seed), self.played(exercise)
        with self.worker(exercise, source, file_name) as worker:
            worker.announce(reference_run.questions(suite))
            yield from Run(worker, reference_run).results(suite)

    def mistaken(self, exercise: Exercise, mistake: Mistake) -> Iterator[Result]:
        """Yield the result of each check on a known mistake, with the public seed.

        The mistake is played in this process, as the oracle plays it, and only in the plays that it is known to change. It is right in all
        others.
        """
        plays = self.footprints(exercise).plays_of(mistake.name)
        in_process = InProcess(self.oracles[exercise.slug], mistake.source)
        return Run(in_process, self.reference_run(exercise, PUBLIC_SEED), plays).results(self.played(exercise))

    def course_worker(self, exercise: Exercise) -> CourseWorker:
        """Return a worker for many sources of the course's own, one after the other. The caller closes it."""
        return CourseWorker(self.host(exercise), exercise, exercise.ban)

    def results_in(self, worker: CourseWorker, source: str) -> Generator[Result]:
        """Yield the result of each check on a source of the course's own, in a process that may have played others before it."""
        exercise = worker.exercise
        yield from Run(worker.player(source), self.reference_run(exercise)).results(self.played(exercise))

    def played(self, exercise: Exercise) -> Suite:
        """Return the tests of an exercise that are played: all of them, unless the options name some."""
        return self.suites[exercise.slug].only(self.options.only)

    @contextmanager
    def run(self, exercise: Exercise, source: str, file_name: str) -> Iterator[Run]:
        """Open a worker that plays on this source, check by check, in any order."""
        with self.worker(exercise, source, file_name) as worker:
            yield Run(worker, self.reference_run(exercise), ahead=self.played(exercise).tests)

    def host(self, exercise: Exercise) -> Host:
        """Return the host that starts the workers of an exercise."""
        return self.hosts[exercise.written_with]

    def worker(self, exercise: Exercise, source: str, file_name: str, within_s: float = math.inf) -> Worker:
        """Return a worker for this source, which may take so many seconds. The caller closes it."""
        probes, shared = map(read_where_there, (exercise.probes, exercise.shared_probes))
        longer = crowding() if self.options.timeout_s is None else 1.0  # a time that the user sets is kept by the clock
        limits = self.limits(exercise)
        limits = replace(limits, total_s=min(limits.total_s, within_s))
        defines = tuple(signature.name for signature in exercise.defines)
        return self.host(exercise).worker(source, file_name, probes, limits, exercise.ban, shared, longer, defines)

    def reference_run(self, exercise: Exercise, seed: int | None = None) -> ReferenceRun:
        """Return the suite as the reference plays it, by default with the seed of the options. The newest reference_runs are kept."""
        key = exercise.slug, self.options.seed if seed is None else seed
        if key not in self.reference_runs:
            while len(self.reference_runs) >= MOST_RUNS:
                del self.reference_runs[next(iter(self.reference_runs))]
            self.reference_runs[key] = ReferenceRun(self.oracles[exercise.slug], exercise, read_text(exercise.reference), key[1])
        return self.reference_runs[key]

    def forget(self) -> None:
        """Clear everything that was computed or read and is held in memory."""
        self.reference_runs.clear()
        self.tracked.clear()
        self.records.clear()
        self.recordings.clear()
        for oracle in self.oracles.values():
            oracle.forget()

    def limits(self, exercise: Exercise) -> Limits:
        limits, total_s = exercise.limits, self.options.timeout_s
        return limits if total_s is None else replace(limits, answer_s=min(limits.answer_s, total_s), total_s=total_s)

    def search_s(self, exercise: Exercise) -> float:
        """Return the seconds in which to look for the mistake of the last submission; 0 if too little of its time is left.

        Seconds limit the search only if the user sets a time. Otherwise the number of plays does, so that the name of a mistake does not
        depend on how busy the machine is.
        """
        left_s = self.limits(exercise).total_s - self.host(exercise).used_s
        if left_s <= LEAST_LEFT_S:
            return 0.0
        return math.inf if self.options.timeout_s is None else left_s / 2

    def deadline(self, exercise: Exercise) -> Deadline:
        """Return the deadline for all work on the last submission: the end of the time that the user sets, or never."""
        if self.options.timeout_s is None:
            return NEVER
        return Deadline.after(self.limits(exercise).total_s - self.host(exercise).used_s)

    def diagnose(
        self,
        exercise: Exercise,
        results: Sequence[Result],
        within_s: float = math.inf,
        deadline: Deadline = NEVER,
        submitted: Submitted | None = None,
    ) -> Found:
        """Return the mistakes that explain the results of the public seed, and the first wrong step of the failures that they leave open.

        If the submission is given as `submitted`, it may be played again, in a new worker. Without it, half precision is not told from
        other mistakes, and no step is found.

        `within_s` limits the search among mistakes that were played. If their footprints have to be computed first, that ends so many
        seconds before the `deadline`. They are not computed for a submission of which no call came to its end.
        """
        if not any(result.check.outcome is Outcome.FAILED for result in results):
            return Found(())
        suite, reference_run = self.suites[exercise.slug], self.reference_run(exercise, PUBLIC_SEED)
        try:
            telling = any(play.worked for result in results for play in result.plays)
            known = self.footprints(exercise, deadline.earlier(within_s)) if telling else self.footprints_at_hand(exercise)
        except OutOfTime:
            return Found(None, stopped=True)
        footprints, records = known or none_of(suite, reference_run), self.records_of(exercise)
        if submitted is not None and known is not None:
            footprints, mistakes = candidates(known, read_mistakes(exercise), reference_run.reference, submitted.source)
            records = records.of_those(mistakes)
        recordings = self.recordings.setdefault(exercise.slug, Recordings())
        with CourseWorker(self.host(exercise), exercise, recordings=recordings) as course_worker:
            questioning = Questioning(plays_of(suite, reference_run), records, course_worker.plays)
            again: MorePlays = NoMorePlays()
            if submitted is not None and telling:
                open_worker = partial(self.worker, exercise, submitted.source, submitted.file_name)
                again = InNewWorkers(exercise, submitted.source, open_worker, course_worker, Deadline.after(within_s))
            found = Investigation(results, reference_run.reference, exercise.defines, footprints, questioning, within_s, again).explain()
        records.keep()
        return found

    def footprints(self, exercise: Exercise, deadline: Deadline = NEVER) -> Footprints:
        """Return the facts that each known mistake of an exercise changes in its suite, with the public seed.

        Raises OutOfTime if they have to be computed, and are not by the deadline.
        """
        if exercise.slug not in self.tracked:
            suite, reference_run, mistakes = self.suites[exercise.slug], self.reference_run(exercise, PUBLIC_SEED), read_mistakes(exercise)
            self.tracked[exercise.slug] = footprints(suite, reference_run, mistakes, self.options, deadline)
        return self.tracked[exercise.slug]

    def footprints_at_hand(self, exercise: Exercise) -> Footprints | None:
        """Return the footprints if nothing has to be computed for them; else None."""
        if exercise.slug not in self.tracked:
            suite, reference_run = self.suites[exercise.slug], self.reference_run(exercise, PUBLIC_SEED)
            if (found := at_hand(suite, reference_run, read_mistakes(exercise))) is not None:
                self.tracked[exercise.slug] = found
        return self.tracked.get(exercise.slug)

    def records_of(self, exercise: Exercise) -> Records:
        """Return the records of the changes that known mistakes of an exercise were seen to make, with the public seed."""
        if exercise.slug not in self.records:
            reference_run = self.reference_run(exercise, PUBLIC_SEED)
            name_of = partial(key_of_one, reference_run)
            self.records[exercise.slug] = Records(reference_run.oracle.cache, read_mistakes(exercise), name_of)
        return self.records[exercise.slug]
