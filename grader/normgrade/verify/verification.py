"""The verification of a course: all proofs of its exercises, on several cores, as one report for each exercise and as tables.

A report on an exercise that cannot be proved yet tells the missing parts, and nothing else. One more tells unused shared parts.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.layout import Files
from normgrade.course.mistakes import read_mistakes, read_wrong
from normgrade.course.reading import read_exercise
from normgrade.course.tensor_library import Library
from normgrade.course.translations import translations
from normgrade.grading.fault import fault
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options, silent
from normgrade.grading.opening import open_grader
from normgrade.grading.parallel import Job, Tick, over_cores
from normgrade.language import LANGUAGES, _, n_
from normgrade.language.errors import CourseError, UsageError
from normgrade.language.visible import visible
from normgrade.report.report import NOTHING_RAN, Check, Outcome, Report, judgement
from normgrade.suite.collection import collect
from normgrade.suite.situations import SITUATIONS
from normgrade.verify.completeness import is_unwritten, lacking, missing_files, points_in_words, unwritten
from normgrade.verify.habits import Habit, fitting, habits_in
from normgrade.verify.missing_texts import named_in_probes, untranslated, unused
from normgrade.verify.mutants import Mutant, blocks, mutants_of, read_accepted
from normgrade.verify.plays import Plays
from normgrade.verify.proofs import PROOFS, Proof, check, complete
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
    return [report_of_jobs(each, [job for job in proved if job.exercise == each.slug], seeds[0], judges) for each in exercises]


def report_of_jobs(exercise: Exercise, proved: Sequence[Proved], seed: int, judges: Sequence[Judge]) -> Report:
    """Return the report on an exercise, from the findings of all its jobs."""
    found = [each for job in proved for each in job.found]
    checks = merged(each for each in found if isinstance(each, Check)) + tuple(judge(exercise, found) for judge in judges)
    sandbox, duration_s = min((each.sandbox for each in proved), key=TIERS.index), sum(each.duration_s for each in proved)
    return replace(report_on(exercise, checks), sandbox=sandbox, seed=seed, duration_s=duration_s)


def report_on(files: Files, checks: tuple[Check, ...]) -> Report:
    """Return the report with these proofs of an exercise, or of the files that exercises share, whose slug is ""."""
    return Report(
        exercise=files.slug or "shared",
        submission=files.solutions.relative_to(files.course).as_posix(),
        outcome=judgement([check for check in checks if check.points]),
        possible=sum(check.points for check in checks),
        sandbox=NOTHING_RAN,
        seed=0,
        duration_s=sum(check.duration_s for check in checks),
        checks=checks,
        course=files.other_course,
    )


# Exercises that cannot be proved yet


def sorted_out(course: Course, names: Iterable[str]) -> tuple[list[Exercise], list[Report]]:
    """Return the exercises that can be proved, and a report on each of the others; all of the course if no name is given.

    If all of the course can be proved, there is a report on its shared files if parts of them are unused.
    Raise UsageError for a name that no folder has, and if there is nothing at all.
    """
    chosen = dict.fromkeys(names)
    unknown = [name for name in chosen if name not in course.folders]
    if unknown:
        course.exercise(unknown[0])  # which raises
    if not (chosen or course.folders):
        said = _(
            'Nothing to verify: the course "{folder}" has no exercises. Run `normgrade new SLUG "Name(dim)"` to create one.',
            folder=course.root,
        )
        raise UsageError(said)
    obstacles = {name: found for name in chosen or course.folders if (found := obstacles_to(course, name))}
    candidates = [course.exercise(name) for name in chosen if name not in obstacles] if chosen else course
    ready = [each for each in candidates if each.slug not in obstacles]
    proofs = {name: complete(partial(iter, problems)) for name, problems in obstacles.items()}
    if not (chosen or obstacles):
        proofs[""] = check("shared", _("The exercises use everything in the files that they share."), partial(unused, ready))
    return ready, [report_on(course.files(name), (proof,)) for name, proof in proofs.items() if proof.outcome is Outcome.FAILED]


def obstacles_to(course: Course, name: str) -> list[str]:
    """Return the obstacles to any proof of the exercise in a folder, with the other gaps in it; none if it can be proved."""
    files = course.files(name)
    missing, wrong = [*missing_files(files)], []
    try:
        exercise = read_exercise(files, course.settings) if files.description.is_file() else None
    except CourseError as error:
        exercise, wrong = None, [str(error)]
    if exercise is None or missing:
        return [*missing, *wrong, *unwritten(files)]
    if wrong := wrong_files(exercise):
        return [*wrong, *unwritten(files)]
    return [*lacking(exercise), *unequal_points(exercise)] if is_unwritten(exercise.reference) else []


def unequal_points(exercise: Exercise) -> Iterator[str]:
    """Yield a sentence if the points of the suite do not sum to those of the exercise."""
    suite, path = collect([exercise])[exercise.slug], exercise.suite.relative_to(exercise.course)
    if suite.points != exercise.points:
        yield _("{path}: the points sum to {points} instead of {wanted}: {parts}.", path=path, points=suite.points, wanted=exercise.points,
                parts=points_in_words(suite))  # fmt: skip


def wrong_files(exercise: Exercise) -> list[str]:
    """Return the error in the files beside `exercise.toml`; at most one."""
    try:
        for language in LANGUAGES:
            deque(map(translations(exercise.folder, language).get, named_in_probes(exercise)), 0)
            deque(untranslated(exercise, language), 0)
            read_mistakes(exercise, language)
        read_wrong(exercise)
        read_accepted(exercise)
    except CourseError as error:
        return [str(error)]
    found = fault(exercise)
    return [] if found is None else [str(found)]


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
