"""Proofs of a course: right answers pass, wrong ones fail, mistakes are named, and mutants and habits of a reference are killed."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, product, zip_longest
from pathlib import Path
from typing import TypeVar

from normgrade.compare.differences import differences
from normgrade.compare.played import Played, Result
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes, read_wrong
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import PUBLIC_SEED, Options, silent
from normgrade.grading.opening import open_grader
from normgrade.grading.parallel import Job, Tick, over_cores
from normgrade.grading.preparation import prepare
from normgrade.grading.run import gone
from normgrade.inspection.inspection import inspect_source
from normgrade.language import LANGUAGES, _, n_
from normgrade.language.errors import either, listed
from normgrade.oracle.expectation import with_spread_of
from normgrade.remarks.remarks import remarked
from normgrade.report.render.wording import place_of, word_of
from normgrade.report.report import Check, Kind, Outcome, Report, Rule, judgement
from normgrade.suite.situations import PREFIX, SITUATIONS
from normgrade.verify.announced import announces, unannounced
from normgrade.verify.bans import matching_nothing
from normgrade.verify.completeness import lacking
from normgrade.verify.consensus import agree_against_the_reference
from normgrade.verify.habits import Habit, fitting, with_habit
from normgrade.verify.idle_answers import idle_problems
from normgrade.verify.missing_texts import missing_texts
from normgrade.verify.mutants import Mutant, blocks, mutants_of, read_accepted
from normgrade.verify.points import points_in_words
from normgrade.verify.shipping import command as write_command
from normgrade.verify.shipping import deviations, missing
from normgrade.worker.walls import TIERS
from normgrade.worker.wire.observation import BY_HAND

T = TypeVar("T")
Problems = Iterator[str]
PROOFS = (
    *("complete", "contract", "bans", "points", "texts", "situations", "told", "shipped"),
    *("suite", "stub", "idle", "right", "wrong", "named", "banned"),
)  # in their order
WORST_FIRST = (Outcome.FAILED, Outcome.SKIPPED, Outcome.PASSED)
SAMPLED = 6  # every so many mistakes are played in a worker, too: a tenth of the time of the proof
SLICE = 50  # answers per job: few enough to keep all cores busy, enough to be worth the seconds in which a process starts


@dataclass(frozen=True, slots=True)
class Proved:
    """The findings of one job on its exercise: proofs, or the mutants and the habits that survived."""

    exercise: str
    checks: tuple[Check, ...] = ()
    survivors: tuple[Mutant, ...] = ()
    habits: tuple[Habit, ...] = ()
    sandbox: str = ""
    duration_s: float = 0.0


def verify(
    exercises: Sequence[Exercise],
    seeds: Sequence[int] = (0,),
    options: Options = Options(),  # noqa: B008
    mutants: bool = False,
    habits: bool = False,
    cores: int = 1,
    sample: int = 1,
) -> list[Report]:
    """Return one report per exercise, with the proofs as its checks.

    Every seed draws other inputs; `mutants` and `habits` add a proof each. Of the wrong answers, known or not, and of the mutants, one of
    every `sample` is played.
    """
    plain = replace(options, progress=silent, cores=1)  # a progress bar does not travel to other processes
    parts = -(-cores // max(len(exercises), 1))  # enough that each core has a job
    jobs = [job for exercise in exercises for job in jobs_of(exercise, seeds, mutants, habits, sample, parts)]
    proved = over_cores(jobs, cores, options.progress, partial(open_grader, exercises, plain))

    def report(exercise: Exercise) -> Report:
        own = [each for each in proved if each.exercise == exercise.slug]
        checks = merged(check for each in own for check in each.checks)
        if mutants:
            checks += (judged(exercise, [mutant for each in own for mutant in each.survivors], sample),)
        if habits:
            checks += (judged_habits(exercise, [habit for each in own for habit in each.habits]),)
        return Report(
            exercise=exercise.slug,
            submission=str(exercise.solutions.relative_to(exercise.course)),
            outcome=judgement([check for check in checks if check.points]),
            possible=sum(check.points for check in checks),
            sandbox=min((each.sandbox for each in own), key=TIERS.index),
            seed=seeds[0],
            duration_s=sum(each.duration_s for each in own),
            checks=checks,
            course=exercise.other_course,
        )

    return [report(exercise) for exercise in exercises]


# The proofs


def jobs_of(exercise: Exercise, seeds: Sequence[int], mutants: bool, habits: bool, sample: int, parts: int) -> Iterator[Job[Proved]]:
    """Yield the proofs of an exercise as jobs, each with some of the seeds, mutants and habits; as many as are worth their own process.

    The first job also has the proofs that need no other seed. It has neither mutants nor habits if there is a second job.
    """
    mistakes = len(read_mistakes(exercise)[::sample])
    on_each_seed = 1 + len(exercise.alternatives) + mistakes + len(read_wrong(exercise)[::sample])
    hunted = range(0, len(mutants_of(read_text(exercise.reference))), sample) if mutants else range(0)
    tried = range(len(fitting(exercise))) if habits else range(0)
    jobs = min(parts, -(-(on_each_seed * len(seeds) + len(hunted) + len(tried)) // SLICE))
    shares = zip_longest(sliced(seeds, jobs), hunts_of(hunted, jobs), hunts_of(tried, jobs), fillvalue=())
    for number, (some, hunts, trials) in enumerate(shares):
        once = mistakes + len(exercise.refused) if number == 0 else 0
        weight = on_each_seed * len(some) + once + len(hunts) + len(trials)
        yield Job(weight, partial(prove, exercise, some, hunts, trials, number == 0, sample))


def hunts_of(numbers: Sequence[int], jobs: int) -> list[tuple[int, ...]]:
    """Return the share of each job in these numbers; that of the first is empty if there is a second one."""
    return [(), *sliced(numbers, jobs - 1)] if jobs > 1 else [tuple(numbers)]


def sliced(numbers: Sequence[int], parts: int) -> list[tuple[int, ...]]:
    """Return the numbers in `parts` slices of about one size, or in fewer if there are fewer numbers."""
    parts = min(parts, len(numbers))
    return [tuple(numbers[len(numbers) * part // parts : len(numbers) * (part + 1) // parts]) for part in range(parts)]


def prove(
    exercise: Exercise,
    seeds: tuple[int, ...],
    mutants: tuple[int, ...],
    habits: tuple[int, ...],
    first: bool,
    sample: int,
    grader: Grader,
    tick: Tick,
) -> Proved:
    """Prove one exercise on these seeds, and find those of these mutants and habits that survive."""
    started = time.perf_counter()
    grader.forget()  # its memory of other exercises
    oracles = {slug: oracle.remembering() for slug, oracle in grader.oracles.items()}
    proof = Proof(replace(grader, oracles=oracles), exercise, seeds, tick, sample)
    checks = (*(proof.once() if first else ()), *proof.on_every_seed(also_named=first), proof.of_suite()) if seeds else ()
    survivors, kept = tuple(proof.survivors(mutants)), tuple(proof.kept_habits(habits))
    return Proved(exercise.slug, checks, survivors, kept, grader.host(exercise).protection.tier, time.perf_counter() - started)


def merged(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Return the proofs of all slices, one of each name, in the order of PROOFS."""
    slices: dict[str, list[Check]] = {}
    for each in checks:
        slices.setdefault(each.name, []).append(each)
    return tuple(joined(slices[name]) for name in PROOFS if name in slices)


def joined(parts: Sequence[Check]) -> Check:
    """Join one proof of several slices of the seeds: the worst outcome, and every line that any of them says."""
    lines = dict.fromkeys(line for part in parts for line in part.message.splitlines())
    outcome = min((part.outcome for part in parts), key=WORST_FIRST.index)
    duration_s = sum(part.duration_s for part in parts)
    return replace(parts[0], outcome=outcome, duration_s=duration_s, message="\n".join(lines))


@dataclass(frozen=True)
class Proof:
    """All proofs of one exercise for every seed, except those of its mutants and habits."""

    grader: Grader
    exercise: Exercise
    seeds: tuple[int, ...]
    tick: Tick
    sample: int = 1  # one of every so many wrong answers is played
    played: dict[tuple[str, int], list[Result]] = field(default_factory=dict)  # by the source and the seed
    refuted: set[tuple[str, int]] = field(default_factory=set)  # the sources and seeds that have failed
    broken: list[Result] = field(default_factory=list)  # results that ended in an error of the suite itself

    def once(self) -> Iterator[Check]:
        """Yield the proofs that come before all others, and need one seed."""
        exercise, suite = self.exercise, self.grader.suites[self.exercise.slug]
        yield complete(lambda: lacking(exercise))
        yield check("contract", _("The stub, the reference and the alternatives define all names of the contract, by hand."), self.contract)
        yield check("bans", _("Every banned or allowed name exists."), self.bans)
        yield check("points", _("The points of the suite sum to {points}.", points=exercise.points), self.points)
        languages = Course(exercise.course).settings.languages
        if len(languages) > 1:
            names = ", ".join(LANGUAGES[language] for language in languages)
            claim = _("Every text for learners exists in each language of the course: {names}.", names=names)
            yield check("texts", claim, lambda: self.texts(languages))
        played = len([test for test in suite.tests if test.name.startswith(PREFIX)])
        claim = n_(
            "{n} situation is played; {m} are left out, with a reason.",
            "{n} situations are played; {m} are left out, with a reason.",
            played,
            m=sum(exercise.leaves_out(*situation.called) for situation in SITUATIONS.values()),
        )
        yield check("situations", claim, self.situations)
        if announces(exercise):
            claim = _("A sentence of the prompt or of the rules announces everything that is tested.")
            yield check("told", claim, lambda: unannounced(exercise, suite, languages))
        yield self.shipped()
        yield self.played_for("stub", _("The untouched stub fails."), self.stub)
        claim = _("Code that computes nothing earns at most a tenth of the points.")
        yield self.played_for("idle", claim, lambda: idle_problems(self.grader, exercise, self.sample))

    def on_every_seed(self, also_named: bool) -> Iterator[Check]:
        """Yield the proofs that right answers pass and wrong ones fail; between them, if `also_named`, those on the public seed only."""
        alternatives, mistakes = self.exercise.alternatives, read_mistakes(self.exercise)[:: self.sample]
        claim = n_("The reference and {n} alternative pass.", "The reference and {n} alternatives pass.", len(alternatives))
        yield self.played_for("right", claim, self.right)
        yield from self.named_and_banned(mistakes) if also_named else ()  # their plays serve the proof of the wrong answers
        known = {mistake.name: mistake.source for mistake in mistakes}
        wrong = {f"{answer.name} ({answer.what})": answer for answer in read_wrong(self.exercise)[:: self.sample]}
        known |= {name: answer.source for name, answer in wrong.items() if answer.courtesy}
        decided = {name: answer.source for name, answer in wrong.items() if not answer.courtesy}
        claim = n_("{n} wrong answer fails.", "{n} wrong answers fail.", len(known) + len(decided))
        yield self.judged_against_the_reference("wrong", claim, lambda: chain(self.wrong(known, unseen), self.wrong(decided, passes)))

    def named_and_banned(self, mistakes: Sequence[Mistake]) -> Iterator[Check]:
        """Yield the proofs that every mistake has its name, and that everything banned is refused."""
        claim = _("Every known mistake is diagnosed by its own name, and by no other.")
        if self.sample > 1:
            claim = n_(
                "{n} known mistake, one of every {sample}, is diagnosed by its own name, and by no other.",
                "{n} known mistakes, one of every {sample}, are diagnosed by their own names, and by no others.",
                len(mistakes),
                sample=self.sample,
            )
        yield self.judged_against_the_reference("named", claim, lambda: self.named(mistakes))
        if refused := self.exercise.refused:
            claim = n_("{n} submission with banned calls is refused.", "{n} submissions with banned calls are refused.", len(refused))
            yield self.played_for("banned", claim, self.banned)

    def shipped(self) -> Check:
        """Return the proof of the files that ship with the exercise.

        If one is missing, the proof is skipped unless it fails, and counts for nothing: a course may do without.
        """
        found = check(
            "shipped",
            _("The files that ship with the exercise match the results computed here."),
            lambda: deviations(self.grader, self.exercise),
        )
        if not (lacking := missing(self.exercise)):
            return found
        names, command = listed([path.name for path in lacking]), write_command(self.exercise)
        text = _("Missing: {files}. Run `{command}` to make the first check faster.", files=names, command=command)
        return replace(found, outcome=Outcome.SKIPPED, points=0, message=text) if found.outcome is Outcome.PASSED else found

    def of_suite(self) -> Check:
        """Return the proof that nothing that was played has ended in an error of the suite."""
        return check("suite", _("The suite and its probes can be played."), self.suite)

    def played_for(self, name: str, claim: str, prove: Callable[[], Problems]) -> Check:
        """Return a proof by plays that are made for it. If it has no problem, but the suite is broken, it is skipped."""
        found = check(name, claim, prove)
        if found.outcome is Outcome.PASSED and self.broken:
            return replace(found, outcome=Outcome.SKIPPED, message=_("undecided: the suite itself is broken"))
        return found

    def judged_against_the_reference(self, name: str, claim: str, prove: Callable[[], Problems]) -> Check:
        """Return a proof by plays that are made for it. If the reference fails, it is skipped: failing with the reference shows nothing."""
        reference = self.exercise.reference
        if any(failed(self.run(read_text(reference), reference.name, seed)) for seed in self.seeds):
            return replace(
                check(name, claim, lambda: iter(())), outcome=Outcome.SKIPPED, message=_("undecided: the reference itself fails")
            )
        return self.played_for(name, claim, prove)

    def suite(self) -> Problems:
        """Yield every error of the suite or of its probes once, with the checks that end in it."""
        ended: dict[str, list[str]] = {}
        for result in self.broken:
            ended.setdefault(result.broken or result.check.message, []).append(result.check.name)
        for text, names in ended.items():
            first, *others = dict.fromkeys(names)
            more = n_(" and {n} more check", " and {n} more checks", len(others)) if others else ""
            yield _("{text} ({checks})", text=text, checks=first + more)

    def bans(self) -> Problems:
        """Yield a sentence for every pattern that matches nothing."""
        for pattern in matching_nothing(self.exercise, self.grader.oracles[self.exercise.slug].cache):
            file = "exercise.toml" if pattern not in Course(self.exercise.course).settings.banned else "course.toml"
            yield _('{file}: "{pattern}" matches nothing that exists.', file=file, pattern=pattern)

    def banned(self) -> Problems:
        """Yield a sentence for each of these submissions that has no finding about a ban, and calls nothing banned that raises."""
        for path, _seed in self.each(self.exercise.refused, _("banned"), self.seeds[:1]):
            inspection = inspect_source(read_text(path), self.exercise, allow_stub=True)
            if any(finding.rule is Rule.BANNED for finding in inspection.findings):
                continue
            if not any(map(refused_by_hand, self.run(read_text(path), path.name, self.seeds[0]))):
                yield _("banned/{file}: it is not refused.", file=path.name)

    def contract(self) -> Problems:
        for path in (self.exercise.stub, self.exercise.reference, *self.exercise.alternatives):
            for finding in inspect_source(read_text(path), self.exercise, allow_stub=True).findings:
                yield _("{file}, line {line}: {text}", file=path.name, line=finding.line, text=finding.text)

    def points(self) -> Problems:
        suite = self.grader.suites[self.exercise.slug]
        if suite.points != self.exercise.points:
            yield _("The sum is {points}: {parts}.", points=suite.points, parts=points_in_words(suite))

    def texts(self, languages: Sequence[str]) -> Problems:
        results = self.run(read_text(self.exercise.reference), self.exercise.reference.name, self.seeds[0])
        places = [place for result in results for play in result.plays for place in play.expectation.places]
        for language in languages:
            yield from missing_texts(self.exercise, language, places)

    def situations(self) -> Problems:
        """Yield a sentence for every situation that is neither played nor left out with a reason."""
        results = {
            result.check.name: result
            for result in self.run(read_text(self.exercise.reference), self.exercise.reference.name, self.seeds[0])
        }
        for name, situation in SITUATIONS.items():
            result = results.get(f"{PREFIX}{name}")
            if self.exercise.leaves_out(*situation.called) or (result is not None and result.check.outcome is Outcome.ERROR):
                continue
            if result is None:
                yield _(
                    "{situation}: the suite has no {uses} uses. Define `{uses}()`, or leave the situation out with a reason.",
                    situation=name,
                    uses=situation.uses,
                )
            elif not result.plays:
                yield _("{situation}: the typical uses give nothing to play. Leave the situation out with a reason.", situation=name)

    def stub(self) -> Problems:
        results = self.run(read_text(self.exercise.stub), self.exercise.stub.name, self.seeds[0])
        if passes(results):
            yield _("It passes.")

    def right(self) -> Problems:
        """Yield the rejections of the reference and the alternatives. If all alternatives agree against the reference, say so first."""
        told: list[str] = []
        wrong: dict[Path, list[Result]] = {}
        for path, seed in self.each((self.exercise.reference, *self.exercise.alternatives), _("right answers")):
            results = self.run(read_text(path), path.name, seed)
            if seed == self.seeds[0] and rejected(results):
                wrong[path] = results
            told += self.rejections(path, seed, results)
        if agree_against_the_reference(self.exercise, wrong):
            yield _(
                "The {n} alternatives agree with each other, but differ from the reference: the reference is probably wrong.",
                n=len(wrong),
            )
        yield from told
        if names := [path.stem for path in wrong if path != self.exercise.reference]:
            yield shown_whole(self.exercise, "--alternative", names[0])

    def rejections(self, path: Path, seed: int, results: list[Result]) -> Problems:
        """Yield the checks that reject a right answer, or those that are skipped if nothing fails."""
        wrong = Outcome.FAILED if rejected(results) else Outcome.SKIPPED
        for check, result in zip(remarked(results, self.exercise), results, strict=True):
            if check.outcome is wrong and not check.courtesy:
                yield _("{file}, seed {seed}: {text}", file=path.name, seed=seed, text=in_words(check)) + self.advice(path, result)

    def advice(self, path: Path, result: Result) -> str:
        """Return the advice on a right answer that is rejected only because of its rounding, or an empty text."""
        if path == self.exercise.reference or not any(play.differences for play in result.plays):
            return ""
        oracle, source = self.grader.oracles[self.exercise.slug], read_text(path)
        for play in result.plays:
            theirs = oracle.expectation(source, play.expectation.request)
            if play.observation.error or differences(play.observation, with_spread_of(play.expectation, theirs)):
                return ""
        return " " + _(
            'Its rounding errors are larger than those of the reference: add it as `spread = ["{name}"]` to exercise.toml.', name=path.stem
        )

    def wrong(self, sources: Mapping[str, str], pass_for_right: Callable[[Iterable[Result]], bool]) -> Problems:
        """Yield a sentence for each of these sources that passes for right."""
        for name, source in sources.items():
            try:
                compile(source, name, "exec", dont_inherit=True)
            except SyntaxError as error:
                yield _("{mistake}: not valid Python: {error} (line {line}).", mistake=name, error=error.msg, line=error.lineno)
        for (name, source), seed in self.each(tuple(sources.items()), _("mistakes")):
            if (source, seed) not in self.refuted and pass_for_right(self.until(pass_for_right, self.alone(source, seed))):
                yield _("{mistake}, seed {seed}: passes every check.", mistake=name, seed=seed)

    def named(self, mistakes: Sequence[Mistake]) -> Problems:
        """Yield a sentence for every mistake that fails and is not recognised. Another proof tells of one that passes."""
        confused = []
        for mistake, seed in self.each(mistakes, _("diagnoses"), (PUBLIC_SEED,)):
            results = self.look(self.grader.mistaken(self.exercise, mistake))
            if mistake in mistakes[::SAMPLED]:
                yield from self.otherwise_in_a_worker(mistake, results)
            if not failed(results):
                continue
            self.refuted.add((mistake.source, seed))
            found = self.grader.diagnose(self.exercise, results).diagnoses
            names = [" + ".join(diagnosis.mistakes) for diagnosis in found or ()]
            if names == [mistake.name]:
                continue
            confused.append(mistake.name)
            if not names:
                yield _("{mistake}, seed {seed}: not recognised.", mistake=mistake.name, seed=seed)
            else:
                yield _("{mistake}, seed {seed}: diagnosed as {others}.", mistake=mistake.name, seed=seed, others=either(names))
        if confused:
            yield shown_whole(self.exercise, "--mistake", confused[0])

    def otherwise_in_a_worker(self, mistake: Mistake, here: Sequence[Result]) -> Problems:
        """Yield a sentence if a mistake ends otherwise in a worker. Here, only the plays are made that it is known to change."""
        for mine, theirs in zip(here, self.look(self.alone(mistake.source, PUBLIC_SEED)), strict=True):
            if mine.check.outcome is not theirs.check.outcome or list(map(seen_in, mine.plays)) != list(map(seen_in, theirs.plays)):
                yield _("{mistake}: the result of {check} differs from the recorded one.", mistake=mistake.name, check=mine.check.name)
                return

    def each(self, things: Sequence[T], what: str, seeds: Sequence[int] = ()) -> Iterator[tuple[T, int]]:
        """Yield each pair of a thing and a seed, by default one of the proof's; report progress after each."""
        for seed, thing in product(seeds or self.seeds, things):
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

    def until_it_fails(self, coming: Generator[Result]) -> list[Result]:
        """Return the results of a wrong answer, up to the first that fails."""
        return self.until(unseen, coming)

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

    def survivors(self, numbers: Sequence[int]) -> Iterator[Mutant]:
        """Yield those of these mutants that pass every check.

        One process plays them one after the other: starting a new one for each takes as long as all its plays. If a mutant ends the
        process, it is played again in its own.
        """
        every = mutants_of(read_text(self.exercise.reference))
        with self.grader.course_worker(self.exercise) as course_worker:
            for mutant, seed in self.each([every[number] for number in numbers], _("mutants"), (self.grader.options.seed,)):
                results = self.until_it_fails(self.grader.results_in(course_worker, mutant.source))
                if any(gone(play.observation) for result in results for play in result.plays):
                    results = self.until_it_fails(self.alone(mutant.source, seed))
                if not failed(results):
                    yield mutant

    def kept_habits(self, numbers: Sequence[int]) -> Iterator[Habit]:
        """Yield those of these habits that pass every check.

        Each is played in a process of its own, as some change settings of the whole process.
        """
        every = fitting(self.exercise)
        for habit, seed in self.each([every[number] for number in numbers], _("habits"), (self.grader.options.seed,)):
            if not failed(self.until_it_fails(self.alone(with_habit(self.exercise, habit), seed))):
                yield habit


def seen_in(play: Played) -> tuple[str, list[bool]]:
    """Return how a play ended, and its wrong facts."""
    return play.facts.ending, play.facts.wrong.tolist()


# The mutants and the habits


def judged(exercise: Exercise, survivors: Sequence[Mutant], sample: int = 1) -> Check:
    """Return the proof of the mutants: every survivor is accepted, and everything accepted survives, unless it was not in the sample."""
    every = mutants_of(read_text(exercise.reference))
    hunted = every[::sample]
    left_out = {(each.was, each.now) for each in every} - {(each.was, each.now) for each in hunted}
    accepted = [change for each in read_accepted(exercise) if (change := (each.was, each.now)) not in left_out]
    alive = [(mutant.was, mutant.now) for mutant in survivors]

    def problems() -> Problems:
        unknown = [mutant for mutant in survivors if (mutant.was, mutant.now) not in accepted]
        yield from (_("{mutant} survives.", mutant=mutant) for mutant in unknown)
        if unknown:
            path = exercise.equivalent.relative_to(exercise.course)
            yield _("Play an input that shows the difference. If there is no such input, accept it in {path} with a reason:", path=path)
            yield from blocks(unknown)
        for was, now in accepted:
            if (was, now) not in alive:
                yield _("{file} accepts `{was}` → `{now}`, which does not survive.", file=exercise.equivalent.name, was=was, now=now)

    total, equivalent = len(hunted), sum(change in accepted for change in alive)
    claim = n_(
        "Of {n} mutant of the reference, {killed} are killed and {excused} accepted as equivalent.",
        "Of {n} mutants of the reference, {killed} are killed and {excused} accepted as equivalent.",
        total,
        killed=total - len(alive),
        excused=equivalent,
    )
    return check("mutants", claim, problems)


def judged_habits(exercise: Exercise, survivors: Sequence[Habit]) -> Check:
    """Return the proof of the habits: every survivor is left out, and everything left out survives.

    Each problem begins with a habit's name.
    """
    every, left_out = {habit.name: habit for habit in fitting(exercise)}, exercise.left_out_habits
    alive = [habit.name for habit in survivors]

    def problems() -> Problems:
        for habit in survivors:
            if habit.name not in left_out:
                yield _("{habit} survives: {says}", habit=habit.name, says=habit.says)
        for name in left_out:
            if name not in every:
                yield _("{habit} is left out, but it does not apply to this exercise.", habit=name)
            elif name not in alive:
                yield _("{habit} is left out, but does not survive.", habit=name)

    claim = n_(
        "Of {n} habit, {killed} are killed and {excused} left out, with a reason.",
        "Of {n} habits, {killed} are killed and {excused} left out, with a reason.",
        len(every),
        killed=len(every) - len(alive),
        excused=sum(name in left_out for name in alive),
    )
    return check("habits", claim, problems)


# Helpers of the proofs


def check(name: str, claim: str, prove: Callable[[], Problems]) -> Check:
    """Return a proof as a check, which fails if there are problems."""
    started = time.perf_counter()
    problems = list(prove())
    outcome = Outcome.FAILED if problems else Outcome.PASSED
    return Check(name, claim, Kind.PROOF, outcome, 1, time.perf_counter() - started, "\n".join(problems))


def complete(prove: Callable[[], Problems]) -> Check:
    """Return the proof that an exercise is complete, which comes first."""
    return check("complete", _("The exercise is complete: no file, text, hint or mistake is missing."), prove)


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


def shown_whole(exercise: Exercise, option: str, name: str) -> str:
    """Return the sentence with the command that shows the whole report on one answer."""
    course = ["--course", exercise.other_course] if exercise.other_course else []
    command = shlex.join(["normgrade", "verify", exercise.slug, option, name, "-v", *course])
    return _("Run `{command}` to see all of it.", command=command)


def in_words(check: Check) -> str:
    """Return the outcome of a check, its message and its first three places, in one line."""
    places = ", ".join(place_of(difference) for difference in check.differences[:3])
    ended = _("{check} {outcome}", check=check.name, outcome=word_of(check.outcome))
    return " · ".join(filter(None, (ended, check.message, places)))
