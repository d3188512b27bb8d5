"""Exercises that cannot be proved yet: a report on each tells the missing parts, and nothing else. One more tells unused shared parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes, read_wrong
from normgrade.course.reading import read_exercise
from normgrade.course.translations import translations
from normgrade.grading.fault import fault
from normgrade.language import LANGUAGES, _
from normgrade.language.errors import CourseError, UsageError
from normgrade.report.report import NOTHING_RAN, Check, Outcome, Report
from normgrade.suite.collection import collect
from normgrade.verify.completeness import is_unwritten, lacking, missing_files, points_in_words, unwritten
from normgrade.verify.missing_texts import named_in_probes, untranslated
from normgrade.verify.mutants import read_accepted
from normgrade.verify.proofs import check, complete
from normgrade.verify.shared import unused


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
    return ready, [report_on(course, name, proof) for name, proof in proofs.items() if proof.outcome is Outcome.FAILED]


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


def report_on(course: Course, name: str, proof: Check) -> Report:
    """Return the report on an exercise whose only proof fails; `name` is "" if it is about the files that exercises share."""
    files = course.files(name)
    return Report(
        exercise=name or "shared",
        submission=files.solutions.relative_to(course.root).as_posix(),
        outcome=Outcome.FAILED,
        possible=proof.points,
        sandbox=NOTHING_RAN,
        seed=0,
        duration_s=proof.duration_s,
        checks=(proof,),
        course=files.other_course,
    )
