"""Everything that grading needs, opened once for any number of submissions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from normgrade.compare.deadline import NEVER, Deadline, OutOfTime
from normgrade.course.ban import Ban
from normgrade.course.course import Exercise, Limits
from normgrade.course.files import read_text, read_where_there
from normgrade.course.folders import user_cache, user_config
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.language import _
from normgrade.oracle.seal import Seal
from normgrade.report.report import Diagnosis, Outcome
from normgrade.suite.grading_options import PUBLIC_SEED, Options

if TYPE_CHECKING:  # NumPy, pytest and torch are loaded once the zygote is on its way
    from normgrade.compare.diagnose import Known
    from normgrade.compare.effects import Effects
    from normgrade.compare.played import Result
    from normgrade.oracle.expectation import Oracle
    from normgrade.suite.run import Rehearsal, Run
    from normgrade.suite.suite import Suite
    from normgrade.suite.understudy import Understudy
    from normgrade.worker.host import Host, Worker
    from normgrade.worker.observation import Observation, Playable

LIBRARIES = {"torch": "PyTorch", "numpy": "NumPy"}  # as people call them
MOST_REHEARSALS = 64  # that are held at once: each exercise of a course, with one seed
SEARCH = {"torch": 6.0, "numpy": 45.0}  # for the mistake, as a multiple of what the zygote's start takes; at most half of the time left
LEAST_LEFT_S = 2.0  # for a search to begin: half of it is about what the import of PyTorch takes
Collect = Callable[[Iterable[Exercise]], "Mapping[str, Suite]"]


@dataclass(frozen=True)
class Grader:
    """Plays the hidden suites of some exercises on submissions. The mappings are by slug; that of the hosts is by library."""

    hosts: Mapping[str, Host]
    suites: Mapping[str, Suite]
    oracles: Mapping[str, Oracle]
    options: Options
    rehearsals: dict[tuple[str, int], Rehearsal] = field(default_factory=dict)  # by slug and seed
    repertoires: dict[str, Known] = field(default_factory=dict, repr=False)  # by slug

    def results(self, exercise: Exercise, source: str, file_name: str, seed: int | None = None) -> Generator[Result]:
        """Every check's result, as soon as it is there. Its worker ends with the last one, or when nobody asks for more."""
        from normgrade.suite.ahead import compute_ahead, doing
        from normgrade.suite.run import Run

        suite, rehearsal, host = self.played(exercise), self.rehearsal(exercise, seed), self.host(exercise)
        compute_ahead(suite, rehearsal, self.options)
        expected = doing(exercise, rehearsal.seed)
        numbers = count()

        def enough() -> bool:
            if not host.ready:
                self.options.progress(expected, next(numbers), len(suite.tests))
            return host.ready

        rehearsal.ahead(suite, enough)
        self.recall(exercise)
        if not host.ready:
            self.options.progress(starting(exercise.written_with), 0, 0)
            self.options.meanwhile()
        self.settle(exercise, rehearsal)
        with self.worker(exercise, source, file_name) as worker:
            worker.announce(rehearsal.questions(suite))
            yield from Run(worker, rehearsal).results(suite)

    def settle(self, exercise: Exercise, rehearsal: Rehearsal) -> None:
        """Have the reference play all that a suite asks of what ships, before a submission has the worker."""
        from normgrade.suite.ahead import ships

        plays = self.oracles[exercise.slug].exact_plays
        if plays is not None and ships(rehearsal):
            rehearsal.ahead(self.played(exercise), lambda: False)
            plays.settle()

    def mistaken(self, exercise: Exercise, mistake: Mistake) -> Iterator[Result]:
        """Every check's result on a known mistake, with the public seed.

        It is played in this process, as the oracle plays it, and where it is known to change anything: in all other plays, it is right.
        """
        from normgrade.suite.insider import Insider
        from normgrade.suite.run import Run

        plays = self.known(exercise).forecasts.effects.plays_of(mistake.name)
        insider = Insider(self.oracles[exercise.slug], mistake.source)
        return Run(insider, self.rehearsal(exercise, PUBLIC_SEED), plays).results(self.played(exercise))

    def understudy(self, exercise: Exercise) -> Understudy:
        """A worker for many sources of the course's own, one after the other, to be closed after use."""
        from normgrade.suite.understudy import Understudy

        return Understudy(self.host(exercise), exercise, exercise.ban)

    def results_in(self, understudy: Understudy, source: str) -> Generator[Result]:
        """Every check's result on a source of the course's own, in a process that may have played others before it."""
        from normgrade.suite.run import Run

        exercise = understudy.exercise
        yield from Run(understudy.part(source), self.rehearsal(exercise)).results(self.played(exercise))

    def played(self, exercise: Exercise) -> Suite:
        """The tests of an exercise that are played: all of them, unless the options name some."""
        return self.suites[exercise.slug].only(self.options.only)

    @contextmanager
    def run(self, exercise: Exercise, source: str, file_name: str) -> Iterator[Run]:
        """A worker that plays on this source, check by check, in any order."""
        from normgrade.suite.run import Run

        rehearsal = self.rehearsal(exercise)
        self.settle(exercise, rehearsal)
        with self.worker(exercise, source, file_name) as worker:
            yield Run(worker, rehearsal, ahead=self.played(exercise).tests)

    def host(self, exercise: Exercise) -> Host:
        """The host that starts the workers of an exercise."""
        return self.hosts[exercise.written_with]

    def worker(self, exercise: Exercise, source: str, file_name: str) -> Worker:
        """A worker for this source, to be closed after use."""
        probes, shared = map(read_where_there, (exercise.probes, exercise.shared_probes))
        return self.host(exercise).worker(source, file_name, probes, self.limits(exercise), exercise.ban, shared)

    def rehearsal(self, exercise: Exercise, seed: int | None = None) -> Rehearsal:
        """The suite as the reference plays it, by default with the seed of the options; the newest ones are kept."""
        from normgrade.suite.run import Rehearsal

        key = exercise.slug, self.options.seed if seed is None else seed
        if key not in self.rehearsals:
            while len(self.rehearsals) >= MOST_REHEARSALS:
                del self.rehearsals[next(iter(self.rehearsals))]
            self.rehearsals[key] = Rehearsal(self.oracles[exercise.slug], exercise, read_text(exercise.reference), key[1])
        return self.rehearsals[key]

    def forget(self) -> None:
        """Let go of all that was computed or read, and is held in memory."""
        self.rehearsals.clear()
        self.repertoires.clear()
        for oracle in self.oracles.values():
            oracle.forget()

    def limits(self, exercise: Exercise) -> Limits:
        limits, total_s = exercise.limits, self.options.timeout_s
        return limits if total_s is None else replace(limits, answer_s=min(limits.answer_s, total_s), total_s=total_s)

    def search_s(self, exercise: Exercise) -> float:
        """How long the mistake of the last submission may be looked for; 0 where too little of its time is left."""
        host = self.host(exercise)
        left_s = self.limits(exercise).total_s - host.used_s
        return min(SEARCH[host.written_with] * host.start_s, left_s / 2) if left_s > LEAST_LEFT_S else 0.0

    def deadline(self, exercise: Exercise) -> Deadline:
        """When everything about the last submission has to be known: where the user sets a time, once the rest of it is over."""
        if self.options.timeout_s is None:
            return NEVER
        return Deadline.after(self.limits(exercise).total_s - self.host(exercise).used_s)

    def diagnose(
        self, exercise: Exercise, results: Sequence[Result], within_s: float = math.inf, deadline: Deadline = NEVER
    ) -> tuple[Diagnosis, ...] | None:
        """The mistakes that explain what was played with the public seed; nothing where none do, None where the time was too short.

        `within_s` is for the search. What the mistakes lead to is computed before, and leaves so much time until the `deadline`.
        """
        from normgrade.compare import diagnose
        from normgrade.suite.understudy import Understudy

        if not any(result.check.outcome is Outcome.FAILED for result in results):
            return ()
        try:
            telling = any(play.worked for result in results for play in result.plays) or self.is_known(exercise)
            known = self.known(exercise, deadline.earlier(within_s)) if telling else self.none_known(exercise, results)
            with Understudy(self.host(exercise), exercise) as understudy:
                clock = understudy.clock if self.options.timeout_s is None else time.monotonic  # who sets a time means that of the day
                return diagnose.diagnose(results, known, understudy.plays, within_s, clock)
        except OutOfTime:
            return None

    def known(self, exercise: Exercise, deadline: Deadline = NEVER) -> Known:
        """The mistakes of an exercise with what they change in its suite, as the public seed draws it. It is computed once, and kept.

        Raises OutOfTime at the deadline.
        """
        from normgrade.suite.repertoire import repertoire

        if exercise.slug not in self.repertoires:
            suite, rehearsal, mistakes = self.suites[exercise.slug], self.rehearsal(exercise, PUBLIC_SEED), read_mistakes(exercise)
            self.learn(exercise, mistakes, repertoire(suite, rehearsal, mistakes, self.options, deadline))
        return self.repertoires[exercise.slug]

    def is_known(self, exercise: Exercise) -> bool:
        """Return if the mistakes of an exercise are known without computing anything: they are held, or read from the cache now."""
        from normgrade.suite.repertoire import kept

        if exercise.slug not in self.repertoires:
            mistakes = read_mistakes(exercise)
            if (effects := kept(self.rehearsal(exercise, PUBLIC_SEED), mistakes)) is not None:
                self.learn(exercise, mistakes, effects)
        return exercise.slug in self.repertoires

    def none_known(self, exercise: Exercise, results: Sequence[Result]) -> Known:
        """Return that no mistake is known, so that nothing is computed. Findings that need none are made in these results all the same."""
        from normgrade.compare.diagnose import Known
        from normgrade.compare.effects import effects_of
        from normgrade.compare.forecasts import forecasts_of

        rehearsal = self.rehearsal(exercise, PUBLIC_SEED)
        plays = [((result.check.name, number), play) for result in results for number, play in enumerate(result.plays)]
        effects = effects_of(plays, rehearsal.reference, (), rehearsal.oracle)
        return Known(rehearsal.reference, (), forecasts_of(effects, plays), exercise.defines)

    def recall(self, exercise: Exercise) -> None:
        """Get ready for a diagnosis, as long as the zygote is not ready, if it was kept what the mistakes lead to."""
        host = self.host(exercise)
        if host.ready or exercise.slug in self.repertoires:
            return
        from normgrade.suite.repertoire import kept

        rehearsal, mistakes = self.rehearsal(exercise, PUBLIC_SEED), read_mistakes(exercise)
        effects = kept(rehearsal, mistakes)
        rehearsal.ahead(self.suites[exercise.slug], lambda: host.ready)  # with another seed it was not rehearsed before
        if effects is not None and not host.ready:
            self.learn(exercise, mistakes, effects)

    def learn(self, exercise: Exercise, mistakes: Sequence[Mistake], effects: Effects) -> None:
        """Hold the mistakes of an exercise, and what they lead to."""
        from normgrade.compare.diagnose import Known
        from normgrade.compare.forecasts import forecasts_of
        from normgrade.suite.repertoire import plays_of

        rehearsal = self.rehearsal(exercise, PUBLIC_SEED)
        forecasts = forecasts_of(effects, plays_of(self.suites[exercise.slug], rehearsal))
        self.repertoires[exercise.slug] = Known(rehearsal.reference, tuple(mistakes), forecasts, exercise.defines)


def starting(*libraries: str) -> str:
    """Return that these libraries are being imported, in words."""
    return _("{library} starts", library=", ".join(LIBRARIES[each] for each in libraries))


@contextmanager
def open_grader(exercises: Sequence[Exercise], options: Options, collect: Collect | None = None) -> Iterator[Grader]:
    """Start a zygote for each library; while it is imported, collect the suites, by default with a pytest of our own."""
    from normgrade.worker.host import Host

    bans: dict[str, list[Ban]] = {}
    for exercise in exercises:
        bans.setdefault(exercise.written_with, []).append(exercise.ban)
    with Seal(user_config()) as seal, ExitStack() as opened:
        hosts = {
            library: opened.enter_context(Host(options.tier, options.required, None, seal.before_worker, banned, library))
            for library, banned in bans.items()
        }
        options.progress(starting(*hosts), 0, 0)
        from normgrade.oracle.cache import Cache
        from normgrade.oracle.expectation import Oracle
        from normgrade.suite import collection

        kept = Cache(user_cache(), seal.key)
        distinct = {exercise.slug: exercise for exercise in exercises}
        oracles = {slug: with_exact_plays(Oracle.of(each, kept), each, hosts[each.written_with]) for slug, each in distinct.items()}
        try:
            yield Grader(hosts, (collect or collection.collect)(distinct.values()), oracles, options)
        finally:
            kept.sweep()


def with_exact_plays(oracle: Oracle, exercise: Exercise, host: Host) -> Oracle:
    """The oracle of an exercise, which has its reference played in a worker: this process needs no PyTorch. NumPy is here anyway."""
    from normgrade.oracle.exact_plays import ExactPlays
    from normgrade.suite.understudy import Understudy

    def in_worker(requests: Iterable[Playable]) -> Iterator[Observation | None]:
        with Understudy(host, exercise) as worker:
            yield from worker.plays(((oracle.reference or "", request) for request in requests), exactly=True)

    return replace(oracle, exact_plays=ExactPlays(oracle.cache, oracle.played_here if exercise.written_with == "numpy" else in_worker))
