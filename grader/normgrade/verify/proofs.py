"""Proves a course: right answers pass, wrong ones fail, every known mistake is named, and every mutant of a reference is killed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeVar

from normgrade.compare.differences import differences
from normgrade.compare.played import Result
from normgrade.compare.remarks import remarked
from normgrade.course.course import Course, Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes, read_wrong
from normgrade.inspection.inspection import inspect_source
from normgrade.language import LANGUAGES, _, n_
from normgrade.language.errors import either
from normgrade.oracle.expectation import with_spread_of
from normgrade.report.render.wording import place_of, word_of
from normgrade.report.report import Check, Kind, Outcome, Report, judgement
from normgrade.suite.grader import Grader, open_grader
from normgrade.suite.grading_options import PUBLIC_SEED, Options, silent
from normgrade.suite.parallel import Job, Tick, over_cores
from normgrade.suite.situations import PREFIX, SITUATIONS
from normgrade.verify.mutants import Mutant, mutants_of, read_accepted
from normgrade.verify.translations import missing_texts
from normgrade.worker.walls import TIERS

T = TypeVar("T")
Problems = Iterator[str]
SLICE = 50  # mutants per job: few enough to keep all cores busy, enough to be worth the second that a grader takes to open


@dataclass(frozen=True, slots=True)
class Proved:
    """What one job found of its exercise: proofs, or the mutants that survived."""

    exercise: str
    checks: tuple[Check, ...] = ()
    survivors: tuple[Mutant, ...] = ()
    sandbox: str = ""
    duration_s: float = 0.0


def verify(
    exercises: Sequence[Exercise],
    seeds: Sequence[int] = (0,),
    options: Options = Options(),  # noqa: B008
    mutants: bool = False,
    cores: int = 1,
) -> list[Report]:
    """One report per exercise, whose checks are the proofs. Every seed draws other inputs; `mutants` adds the proof of the mutants."""
    plain = replace(options, progress=silent, cores=1)  # a progress bar does not travel to other processes
    jobs = [job_of_proofs(exercise, tuple(seeds), plain) for exercise in exercises]
    mutant_jobs = [job for exercise in exercises for job in jobs_of_mutants(exercise, plain)] if mutants else []
    proved = over_cores(jobs + mutant_jobs, cores, options.progress)

    def report(exercise: Exercise) -> Report:
        own = [each for each in proved if each.exercise == exercise.slug]
        checks = tuple(check for each in own for check in each.checks)
        if mutants:
            checks += (judged(exercise, [mutant for each in own for mutant in each.survivors]),)
        return Report(
            exercise=exercise.slug,
            submission=str(exercise.reference.parent.relative_to(exercise.course)),
            outcome=judgement([check.outcome for check in checks], findings=False),
            possible=sum(check.points for check in checks),
            sandbox=min((each.sandbox for each in own), key=TIERS.index),
            seed=seeds[0],
            duration_s=sum(each.duration_s for each in own),
            checks=checks,
            course=exercise.other_course,
        )

    return [report(exercise) for exercise in exercises]


# The proofs


def job_of_proofs(exercise: Exercise, seeds: tuple[int, ...], options: Options) -> Job[Proved]:
    right, mistakes, wrong = 1 + len(exercise.alternatives), len(read_mistakes(exercise)), len(read_wrong(exercise))
    return Job((right + mistakes + wrong) * len(seeds) + mistakes, partial(prove, exercise, seeds, options))


def prove(exercise: Exercise, seeds: tuple[int, ...], options: Options, tick: Tick) -> Proved:
    """All proofs of one exercise, except that of its mutants."""
    started = time.perf_counter()

    with open_grader([exercise], options) as grader:
        checks = tuple(Proof(grader, exercise, seeds, tick).checks())
        return Proved(exercise.slug, checks, sandbox=grader.host.protection.tier, duration_s=time.perf_counter() - started)


@dataclass(frozen=True)
class Proof:
    """All proofs of one exercise, except that of its mutants, for every seed."""

    grader: Grader
    exercise: Exercise
    seeds: tuple[int, ...]
    tick: Tick
    played: dict[tuple[str, int], list[Result]] = field(default_factory=dict)  # by the source and the seed

    def checks(self) -> Iterator[Check]:
        exercise, alternatives, mistakes = self.exercise, self.exercise.alternatives, read_mistakes(self.exercise)
        suite = self.grader.suites[exercise.slug]
        right = [exercise.reference, *alternatives]
        yield check("contract", _("Stub, reference and alternatives define what the contract names, by hand."), self.contract)
        yield check("points", _("The points of the suite sum to {points}.", points=exercise.points), self.points)
        if len(languages := Course(exercise.course).settings.languages) > 1:
            names = ", ".join(LANGUAGES[language] for language in languages)
            claim = _("Every text for learners is there in each language of the course: {names}.", names=names)
            yield check("texts", claim, lambda: self.texts(languages))
        played = len([test for test in suite.tests if test.name.startswith(PREFIX)])
        claim = n_(
            "{n} situation is played; {m} are left out, with a reason.",
            "{n} situations are played; {m} are left out, with a reason.",
            played,
            m=sum(exercise.leaves_out(*situation.called) for situation in SITUATIONS.values()),
        )
        yield check("situations", claim, self.situations)
        yield check("stub", _("The untouched stub fails."), self.stub)
        claim = n_("The reference and {n} alternative pass.", "The reference and {n} alternatives pass.", len(alternatives))
        yield check("right", claim, lambda: self.right(right))
        wrong = {mistake.name: mistake.source for mistake in mistakes}
        wrong |= {f"{answer.name} ({answer.what})": answer.source for answer in read_wrong(exercise)}
        yield check("wrong", n_("{n} wrong answer fails.", "{n} wrong answers fail.", len(wrong)), lambda: self.wrong(wrong))
        yield check("named", _("Every known mistake is diagnosed by its own name, and by no other."), lambda: self.named(mistakes))

    def contract(self) -> Problems:
        for path in (self.exercise.stub, self.exercise.reference, *self.exercise.alternatives):
            for finding in inspect_source(read_text(path), self.exercise, allow_stub=True).findings:
                yield _("{file}, line {line}: {text}", file=path.name, line=finding.line, text=finding.text)

    def points(self) -> Problems:
        points = self.grader.suites[self.exercise.slug].points
        if points != self.exercise.points:
            yield _("They sum to {points}.", points=points)

    def texts(self, languages: Sequence[str]) -> Problems:
        results = self.run(read_text(self.exercise.reference), self.exercise.reference.name, self.seeds[0])
        places = [place for result in results for play in result.plays for place in play.expectation.places]
        for language in languages:
            yield from missing_texts(self.exercise, self.grader.suites[self.exercise.slug], language, places)

    def situations(self) -> Problems:
        """Every situation is played, or left out with a reason."""
        results = {
            result.check.name: result
            for result in self.run(read_text(self.exercise.reference), self.exercise.reference.name, self.seeds[0])
        }
        for name, situation in SITUATIONS.items():
            result = results.get(f"{PREFIX}{name}")
            if self.exercise.leaves_out(*situation.called):
                continue
            if result is None:
                yield _("{situation}: the suite gives no typical uses; define `typical()`, or leave it out with a reason.", situation=name)
            elif not result.plays:
                yield _("{situation}: the typical uses leave nothing to play; leave it out with a reason.", situation=name)

    def stub(self) -> Problems:
        results = self.run(read_text(self.exercise.stub), self.exercise.stub.name, self.seeds[0])
        yield from broken(results, _("the stub"))
        if not failed(results):
            yield _("It passes.")

    def right(self, paths: Sequence[Path]) -> Problems:
        for path, seed in self.each(paths, _("right answers")):
            results = self.run(read_text(path), path.name, seed)
            for check, result in zip(remarked(results, self.exercise), results, strict=True):
                if check.outcome is not Outcome.PASSED:
                    advice = self.advice(path, result)
                    yield _("{file}, seed {seed}: {text}", file=path.name, seed=seed, text=in_words(check)) + advice

    def advice(self, path: Path, result: Result) -> str:
        """What to do about a right answer that is rejected, where its rounding alone is to blame."""
        if path == self.exercise.reference or not any(play.differences for play in result.plays):
            return ""
        oracle, source = self.grader.oracles[self.exercise.slug], read_text(path)
        for play in result.plays:
            theirs = oracle.expectation(source, play.expectation.request)
            if play.observation.error or differences(play.observation, with_spread_of(play.expectation, theirs)):
                return ""
        return " " + _('Its rounding is larger than the reference\'s: name it in `spread = ["{name}"]` of exercise.toml.', name=path.stem)

    def wrong(self, sources: Mapping[str, str]) -> Problems:
        for name, source in sources.items():
            try:
                compile(source, name, "exec", dont_inherit=True)
            except SyntaxError as error:
                yield _("{mistake}: not Python: {error} (line {line}).", mistake=name, error=error.msg, line=error.lineno)
        for (name, source), seed in self.each(tuple(sources.items()), _("mistakes")):
            results = self.run(source, self.exercise.file_name, seed)
            yield from broken(results, name)
            if not failed(results):
                yield _("{mistake}, seed {seed}: passes every check.", mistake=name, seed=seed)

    def named(self, mistakes: Sequence[Mistake]) -> Problems:
        for mistake, seed in self.each(mistakes, _("diagnoses"), (PUBLIC_SEED,)):
            found = self.grader.diagnose(self.exercise, self.run(mistake.source, self.exercise.file_name, seed))
            names = [" + ".join(diagnosis.mistakes) for diagnosis in found or ()]
            if not names:
                yield _("{mistake}, seed {seed}: not recognised.", mistake=mistake.name, seed=seed)
            elif names != [mistake.name]:
                yield _("{mistake}, seed {seed}: taken for {others}.", mistake=mistake.name, seed=seed, others=either(names))

    def each(self, things: Sequence[T], what: str, seeds: Sequence[int] = ()) -> Iterator[tuple[T, int]]:
        """Yield each pair of a thing and a seed, by default one of the proof's; report progress after each."""
        for seed, thing in product(seeds or self.seeds, things):
            yield thing, seed
            self.tick(_("{exercise}: {what}", exercise=self.exercise.slug, what=what))

    def run(self, source: str, file_name: str, seed: int) -> list[Result]:
        """The results of a source with a seed. Several proofs ask for some of them; each is played once."""
        if (source, seed) not in self.played:
            self.played[source, seed] = list(self.grader.results(self.exercise, source, file_name, seed))
        return self.played[source, seed]


# The mutants


def jobs_of_mutants(exercise: Exercise, options: Options) -> Iterator[Job[Proved]]:
    """The mutants of an exercise, a slice of them to each job."""
    total = len(mutants_of(read_text(exercise.reference)))
    for start in range(0, total, SLICE):
        numbers = range(start, min(start + SLICE, total))
        yield Job(len(numbers), partial(hunt, exercise, numbers, options))


def hunt(exercise: Exercise, numbers: range, options: Options, tick: Tick) -> Proved:
    """Run the suite on these mutants; those that pass every check survive."""
    started = time.perf_counter()
    mutants = mutants_of(read_text(exercise.reference))[numbers.start : numbers.stop]

    def survives(grader: Grader, mutant: Mutant) -> bool:
        with closing(grader.results(exercise, mutant.source, exercise.file_name)) as results:
            killed = failed(results)  # at the first check that fails
        tick(_("{exercise}: {what}", exercise=exercise.slug, what=_("mutants")))
        return not killed

    with open_grader([exercise], options) as grader:
        survivors = tuple(mutant for mutant in mutants if survives(grader, mutant))
        return Proved(exercise.slug, (), survivors, grader.host.protection.tier, time.perf_counter() - started)


def judged(exercise: Exercise, survivors: Sequence[Mutant]) -> Check:
    """The proof of the mutants: every survivor is accepted, and everything accepted survives."""
    accepted = [(each.was, each.now) for each in read_accepted(exercise)]
    alive = [(mutant.was, mutant.now) for mutant in survivors]

    def problems() -> Problems:
        yield from (_("{mutant} survives.", mutant=mutant) for mutant in survivors if (mutant.was, mutant.now) not in accepted)
        for was, now in accepted:
            if (was, now) not in alive:
                yield _("{file} accepts `{was}` → `{now}`, which does not survive.", file=exercise.equivalent.name, was=was, now=now)

    total, equivalent = len(mutants_of(read_text(exercise.reference))), sum(change in accepted for change in alive)
    claim = n_(
        "Of {n} mutant of the reference, {killed} are killed and {excused} accepted as equivalent.",
        "Of {n} mutants of the reference, {killed} are killed and {excused} accepted as equivalent.",
        total,
        killed=total - len(alive),
        excused=equivalent,
    )
    return check("mutants", claim, problems)


# What several proofs share


def check(name: str, claim: str, prove: Callable[[], Problems]) -> Check:
    """A proof as a check, which fails where there are problems."""
    started = time.perf_counter()
    problems = list(prove())
    outcome = Outcome.FAILED if problems else Outcome.PASSED
    return Check(name, claim, Kind.PROOF, outcome, 1, time.perf_counter() - started, "\n".join(problems))


def failed(results: Iterable[Result]) -> bool:
    """Whether any check failed."""
    return any(result.check.outcome is Outcome.FAILED for result in results)


def broken(results: Sequence[Result], what: str) -> Problems:
    """A problem for each check that ended in an error of the suite itself."""
    for result in results:
        if result.check.outcome is Outcome.ERROR:
            yield _("{what}: {text}", what=what, text=in_words(result.check))


def in_words(check: Check) -> str:
    """How a check ended, with its message and its first three places, in one line."""
    places = ", ".join(place_of(difference) for difference in check.differences[:3])
    ended = _("{check} {outcome}", check=check.name, outcome=word_of(check.outcome))
    return " · ".join(filter(None, (ended, check.message, places)))
