"""The verification of a course: all proofs of its exercises, on several cores, as one report for each exercise and as tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes, read_wrong
from normgrade.course.tensor_library import Library
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options, silent
from normgrade.grading.opening import open_grader
from normgrade.grading.parallel import Job, Tick, over_cores
from normgrade.language import _, n_
from normgrade.language.visible import visible
from normgrade.report.report import Check, Outcome, Report, judgement
from normgrade.suite.situations import SITUATIONS
from normgrade.verify.habits import Habit, fitting, habits_in
from normgrade.verify.mutants import Mutant, blocks, mutants_of, read_accepted
from normgrade.verify.plays import Plays
from normgrade.verify.proofs import PROOFS, Proof, check
from normgrade.worker.walls import TIERS

Found = Check | Mutant | Habit  # a proof, or a wrong answer that survives
Judge = Callable[[Exercise, Sequence[Found]], Check]
WORST_FIRST = (Outcome.FAILED, Outcome.SKIPPED, Outcome.PASSED)
HOLDS, LEFT_OUT, SURVIVES, DOES_NOT_FIT, GAP = "✓", "·", "✗", "", "  "
Cell = Callable[[Exercise, str], str]  # returns the mark in the column of an exercise and the line of that name
SLICE = 50  # answers per job: few enough to keep all cores busy, enough to be worth the seconds in which a process starts


@dataclass(frozen=True, slots=True)
class Proved:
    """The findings of one job on its exercise."""

    exercise: str
    found: tuple[Found, ...]
    sandbox: str
    duration_s: float


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

    Every seed draws other inputs; `mutants` and `habits` add a proof each. Of the mutants, of the wrong answers that have no name, of the
    diagnoses and of the shipped numbers, one of every `sample` is proved.
    """
    plain = replace(options, progress=silent, cores=1)  # a progress bar does not travel to other processes
    parts = -(-cores // max(len(exercises), 1))  # enough that each core has a job
    jobs = [job for exercise in exercises for job in jobs_of(exercise, seeds, mutants, habits, sample, parts)]
    proved = over_cores(jobs, cores, options.progress, partial(open_grader, exercises, plain))

    judges: list[Judge] = [partial(judged, sample=sample)] * mutants + [judged_habits] * habits
    return [report_on(each, [job for job in proved if job.exercise == each.slug], seeds[0], judges) for each in exercises]


def report_on(exercise: Exercise, proved: Sequence[Proved], seed: int, judges: Sequence[Judge]) -> Report:
    """Return the report on an exercise, from the findings of all its jobs."""
    found = [each for job in proved for each in job.found]
    checks = merged(each for each in found if isinstance(each, Check))
    checks += tuple(judge(exercise, found) for judge in judges)
    return Report(
        exercise=exercise.slug,
        submission=str(exercise.solutions.relative_to(exercise.course)),
        outcome=judgement([check for check in checks if check.points]),
        possible=sum(check.points for check in checks),
        sandbox=min((each.sandbox for each in proved), key=TIERS.index),
        seed=seed,
        duration_s=sum(each.duration_s for each in proved),
        checks=checks,
        course=exercise.other_course,
    )


# The jobs


def jobs_of(exercise: Exercise, seeds: Sequence[int], mutants: bool, habits: bool, sample: int, parts: int) -> Iterator[Job[Proved]]:
    """Yield the proofs of an exercise as jobs: seeds, mutants and habits, each in at most `parts` that are worth their own process.

    The first job also has the proofs that need no other seed.
    """
    mistakes = read_mistakes(exercise)
    answers = 1 + len(exercise.alternatives) + len(mistakes) + len(read_wrong(exercise)[::sample])
    for some in sliced(seeds, parts, answers):
        first = some[0] == seeds[0]
        once = len(mistakes[::sample]) + len(exercise.refused) if first else 0
        yield Job(answers * len(some) + once, partial(prove, exercise, partial(proofs_on, seeds=some, first=first, sample=sample)))
    if mutants:
        for some in sliced(range(0, len(mutants_of(read_text(exercise.reference))), sample), parts):
            yield Job(len(some), partial(prove, exercise, partial(Plays.surviving_mutants, numbers=some)))
    if habits:
        for some in sliced(range(len(fitting(exercise))), parts):
            yield Job(len(some), partial(prove, exercise, partial(Plays.surviving_habits, numbers=some)))


def sliced(numbers: Sequence[int], parts: int, answers: int = 1) -> list[tuple[int, ...]]:
    """Return the numbers in at most `parts` slices of about one size. Each number stands for so many answers: SLICE are worth a slice."""
    parts = min(parts, len(numbers), -(-len(numbers) * answers // SLICE))
    return [tuple(numbers[len(numbers) * part // parts : len(numbers) * (part + 1) // parts]) for part in range(parts)]


def prove(exercise: Exercise, find: Callable[[Plays], Iterable[Found]], grader: Grader, tick: Tick) -> Proved:
    """Do one job on an exercise."""
    started = time.perf_counter()
    grader.forget()  # its memory of other exercises
    oracles = {slug: oracle.remembering() for slug, oracle in grader.oracles.items()}
    found = tuple(find(Plays(replace(grader, oracles=oracles), exercise, tick)))
    return Proved(exercise.slug, found, grader.host(exercise).protection.tier, time.perf_counter() - started)


def proofs_on(plays: Plays, seeds: tuple[int, ...], first: bool, sample: int) -> Iterator[Check]:
    """Yield the proofs on these seeds; if `first`, also those that need only one."""
    proof = Proof(plays, seeds, sample)
    yield from proof.once() if first else ()
    yield from proof.on_every_seed(also_named=first)
    yield proof.of_suite()


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


# The mutants and the habits


def judged(exercise: Exercise, found: Sequence[Found], sample: int = 1) -> Check:
    """Return the proof of the mutants: every survivor is accepted, and everything accepted survives, unless it was not in the sample."""
    every = mutants_of(read_text(exercise.reference))
    hunted = every[::sample]
    left_out = {(each.was, each.now) for each in every} - {(each.was, each.now) for each in hunted}
    accepted = [change for each in read_accepted(exercise) if (change := (each.was, each.now)) not in left_out]
    survivors = [each for each in found if isinstance(each, Mutant)]
    alive = [(mutant.was, mutant.now) for mutant in survivors]

    def problems() -> Iterator[str]:
        unknown = [mutant for mutant in survivors if (mutant.was, mutant.now) not in accepted]
        yield from (_("{mutant} survives.", mutant=mutant) for mutant in unknown)
        if unknown:
            path = exercise.mistakes.relative_to(exercise.course)
            yield _("Play an input that shows the difference. If there is no such input, accept it in {path} with a reason:", path=path)
            yield from blocks(unknown)
        for was, now in accepted:
            if (was, now) not in alive:
                yield _("{file} accepts `{was}` → `{now}`, which does not survive.", file=exercise.mistakes.name, was=was, now=now)

    total, equivalent = len(hunted), sum(change in accepted for change in alive)
    claim = n_(
        "Of {n} mutant of the reference, {killed} are killed and {excused} accepted as equivalent.",
        "Of {n} mutants of the reference, {killed} are killed and {excused} accepted as equivalent.",
        total,
        killed=total - len(alive),
        excused=equivalent,
    )
    return check("mutants", claim, problems)


def judged_habits(exercise: Exercise, found: Sequence[Found]) -> Check:
    """Return the proof of the habits: every survivor is left out, and everything left out survives.

    Each problem begins with a habit's name.
    """
    every, left_out = {habit.name: habit for habit in fitting(exercise)}, exercise.left_out_habits
    survivors = [each for each in found if isinstance(each, Habit)]
    alive = [habit.name for habit in survivors]

    def problems() -> Iterator[str]:
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


# Tables of situations and of habits


def matrix(exercises: Sequence[Exercise], width: int = 80) -> Iterator[str]:
    """Yield the table of situations: one in each line, an exercise in each column; then the reasons for those that are left out."""

    def cell(exercise: Exercise, name: str) -> str:
        return LEFT_OUT if exercise.leaves_out(*SITUATIONS[name].called) else HOLDS

    yield from table(exercises, list(SITUATIONS), cell, width)
    yield from reasons((exercise, exercise.left_out) for exercise in exercises)


def matrix_of_habits(exercises: Sequence[Exercise], reports: Sequence[Report], width: int = 80) -> Iterator[str]:
    """Yield the table of habits in the same form: killed, left out, or with a problem; nothing if a habit does not fit an exercise."""
    fits = {exercise.slug: {habit.name for habit in fitting(exercise)} for exercise in exercises}
    problems = {report.exercise: names_of_problems(report) for report in reports}

    def cell(exercise: Exercise, name: str) -> str:
        if name not in fits[exercise.slug]:
            return DOES_NOT_FIT
        if name in problems[exercise.slug]:
            return SURVIVES
        return LEFT_OUT if name in exercise.left_out_habits else HOLDS

    every = dict.fromkeys(habit.name for library in Library for habit in habits_in(exercises[0].shared_habits(library)))
    names = [name for name in every if any(name in fitting_here for fitting_here in fits.values())]
    yield from table(exercises, names, cell, width)
    yield from reasons((exercise, exercise.left_out_habits) for exercise in exercises)


def names_of_problems(report: Report) -> set[str]:
    """Return the habits with a problem: each line of the proof begins with a name."""
    messages = [check.message for check in report.checks if check.name == "habits"]
    return {line.split()[0] for message in messages for line in message.splitlines()}


def table(exercises: Sequence[Exercise], names: Sequence[str], cell: Cell, width: int) -> Iterator[str]:
    """Yield the lines of a table, at most so wide. If the columns do not fit beside each other, the next ones follow below."""
    first = max(map(len, names), default=0)
    for block in columns(exercises, width - first):
        yield GAP.join((" " * first, *(exercise.slug for exercise in block)))
        for name in names:
            yield GAP.join((name.ljust(first), *(cell(each, name).center(len(each.slug)) for each in block))).rstrip()
        yield ""


def reasons(left_out: Iterator[tuple[Exercise, Mapping[str, str]]]) -> Iterator[str]:
    """Yield a line for everything that an exercise leaves out."""
    for exercise, names in left_out:
        for name, reason in names.items():
            yield visible(f"{LEFT_OUT} {exercise.slug}, {name}: {reason}")


def columns(exercises: Sequence[Exercise], width: int) -> Iterator[Sequence[Exercise]]:
    """Yield the exercises in their order, as many in each block as fit beside each other; at least one."""
    block: list[Exercise] = []
    for exercise in exercises:
        if block and sum(len(GAP + each.slug) for each in (*block, exercise)) > width:
            yield block
            block = []
        block.append(exercise)
    if block:
        yield block
