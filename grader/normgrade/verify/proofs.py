"""Proofs of an exercise: right answers pass, wrong ones fail, mistakes are named, and nothing is missing or announced in vain."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from normgrade.compare.differences import differences
from normgrade.compare.played import Played, Result
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes, read_wrong
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import PUBLIC_SEED
from normgrade.inspection.inspection import inspect_source
from normgrade.language import LANGUAGES, _, n_
from normgrade.language.errors import either, listed
from normgrade.oracle.expectation import with_spread_of
from normgrade.remarks.remarks import remarked
from normgrade.report.render.wording import place_of, word_of
from normgrade.report.report import Check, Kind, Outcome, Rule
from normgrade.suite.situations import PREFIX, SITUATIONS
from normgrade.suite.suite import Suite
from normgrade.verify.completeness import announces, lacking, matching_nothing, points_in_words, unannounced
from normgrade.verify.course_answers import agree_against_the_reference, idle_problems
from normgrade.verify.missing_texts import missing_texts
from normgrade.verify.plays import Plays, failed, passes, refused_by_hand, rejected, unseen
from normgrade.verify.shipping import command as write_command
from normgrade.verify.shipping import deviations, missing

Problems = Iterator[str]
PROOFS = (
    *("complete", "contract", "bans", "points", "texts", "situations", "told", "shipped"),
    *("suite", "stub", "idle", "right", "wrong", "named", "banned"),
)  # in their order
SAMPLED = 6  # every so many mistakes are played in a worker, too: a tenth of the time of the proof


@dataclass(frozen=True)
class Proof:
    """All proofs of one exercise for every seed, except those of its mutants and habits."""

    plays: Plays
    seeds: tuple[int, ...]
    sample: int = 1  # one of every so many wrong answers is played
    refuted: set[tuple[str, int]] = field(default_factory=set)  # the sources and seeds that have failed

    @property
    def exercise(self) -> Exercise:
        return self.plays.exercise

    @property
    def grader(self) -> Grader:
        return self.plays.grader

    @property
    def suite(self) -> Suite:
        return self.grader.suites[self.exercise.slug]

    def reference_results(self) -> list[Result]:
        """Return the results of the reference on the first seed."""
        return self.run(self.exercise.reference, self.seeds[0])

    def run(self, path: Path, seed: int) -> list[Result]:
        """Return the results of the answer in a file."""
        return self.plays.run(read_text(path), path.name, seed)

    def once(self) -> Iterator[Check]:
        """Yield the proofs that come before all others, and need one seed."""
        exercise, suite = self.exercise, self.suite
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
        alternatives, mistakes = self.exercise.alternatives, read_mistakes(self.exercise)
        claim = n_("The reference and {n} alternative pass.", "The reference and {n} alternatives pass.", len(alternatives))
        yield self.played_for("right", claim, self.right)
        yield from self.named_and_banned(mistakes[:: self.sample]) if also_named else ()  # their plays serve the proof of the wrong answers
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
            lambda: deviations(self.grader, self.exercise, self.sample),
        )
        if not (lacking := missing(self.exercise)):
            return found
        names, command = listed([path.name for path in lacking]), write_command(self.exercise)
        text = _("Missing: {files}. Run `{command}` to make the first check faster.", files=names, command=command)
        return replace(found, outcome=Outcome.SKIPPED, points=0, message=text) if found.outcome is Outcome.PASSED else found

    def of_suite(self) -> Check:
        """Return the proof that nothing that was played has ended in an error of the suite."""
        return check("suite", _("The suite and its probes can be played."), self.errors_of_suite)

    def played_for(self, name: str, claim: str, prove: Callable[[], Problems]) -> Check:
        """Return a proof by plays that are made for it. If it has no problem, but the suite is broken, it is skipped."""
        found = check(name, claim, prove)
        if found.outcome is Outcome.PASSED and self.plays.broken:
            return replace(found, outcome=Outcome.SKIPPED, message=_("undecided: the suite itself is broken"))
        return found

    def judged_against_the_reference(self, name: str, claim: str, prove: Callable[[], Problems]) -> Check:
        """Return a proof by plays that are made for it. If the reference fails, it is skipped: failing with the reference shows nothing."""
        if any(failed(self.run(self.exercise.reference, seed)) for seed in self.seeds):
            undecided = _("undecided: the reference itself fails")
            return replace(check(name, claim, lambda: iter(())), outcome=Outcome.SKIPPED, message=undecided)
        return self.played_for(name, claim, prove)

    def errors_of_suite(self) -> Problems:
        """Yield every error of the suite or of its probes once, with the checks that end in it."""
        ended: dict[str, list[str]] = {}
        for result in self.plays.broken:
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
        for path, _seed in self.plays.each(self.exercise.refused, _("banned"), self.seeds[:1]):
            inspection = inspect_source(read_text(path), self.exercise, allow_stub=True)
            if any(finding.rule is Rule.BANNED for finding in inspection.findings):
                continue
            if not any(map(refused_by_hand, self.run(path, self.seeds[0]))):
                yield _("banned/{file}: it is not refused.", file=path.name)

    def contract(self) -> Problems:
        for path in (self.exercise.stub, self.exercise.reference, *self.exercise.alternatives):
            for finding in inspect_source(read_text(path), self.exercise, allow_stub=True).findings:
                yield _("{file}, line {line}: {text}", file=path.name, line=finding.line, text=finding.text)

    def points(self) -> Problems:
        if self.suite.points != self.exercise.points:
            yield _("The sum is {points}: {parts}.", points=self.suite.points, parts=points_in_words(self.suite))

    def texts(self, languages: Sequence[str]) -> Problems:
        places = [place for result in self.reference_results() for play in result.plays for place in play.expectation.places]
        for language in languages:
            yield from missing_texts(self.exercise, language, places)

    def situations(self) -> Problems:
        """Yield a sentence for every situation that is neither played nor left out with a reason."""
        results = {result.check.name: result for result in self.reference_results()}
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
        if passes(self.run(self.exercise.stub, self.seeds[0])):
            yield _("It passes.")

    def right(self) -> Problems:
        """Yield the rejections of the reference and the alternatives. If all alternatives agree against the reference, say so first."""
        told: list[str] = []
        wrong: dict[Path, list[Result]] = {}
        for path, seed in self.plays.each((self.exercise.reference, *self.exercise.alternatives), _("right answers"), self.seeds):
            results = self.run(path, seed)
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
        known = {mistake.source: mistake for mistake in read_mistakes(self.exercise)} if self.sample > 1 else {}
        for (name, source), seed in self.plays.each(tuple(sources.items()), _("mistakes"), self.seeds):
            if (source, seed) not in self.refuted and pass_for_right(
                self.plays.until(pass_for_right, self.played(source, seed, known.get(source)))
            ):
                yield _("{mistake}, seed {seed}: passes every check.", mistake=name, seed=seed)

    def played(self, source: str, seed: int, known: Mistake | None) -> Generator[Result]:
        """Yield the results of a wrong answer. Of a mistake that is `known`, only the plays are made that it is known to change."""
        if known is None or seed != PUBLIC_SEED:
            yield from self.plays.alone(source, seed)
        else:
            yield from self.grader.mistaken(self.exercise, known)

    def named(self, mistakes: Sequence[Mistake]) -> Problems:
        """Yield a sentence for every mistake that fails and is not recognised. Another proof tells of one that passes."""
        confused = []
        for mistake, seed in self.plays.each(mistakes, _("diagnoses"), (PUBLIC_SEED,)):
            results = self.plays.look(self.grader.mistaken(self.exercise, mistake))
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
        for mine, theirs in zip(here, self.plays.look(self.plays.alone(mistake.source, PUBLIC_SEED)), strict=True):
            if mine.check.outcome is not theirs.check.outcome or list(map(seen_in, mine.plays)) != list(map(seen_in, theirs.plays)):
                yield _("{mistake}: the result of {check} differs from the recorded one.", mistake=mistake.name, check=mine.check.name)
                return


def seen_in(play: Played) -> tuple[str, list[bool]]:
    """Return how a play ended, and its wrong facts."""
    return play.facts.ending, play.facts.wrong.tolist()


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
