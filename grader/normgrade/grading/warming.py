"""The computation of expectations in advance, so that nobody waits for them at the first check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from normgrade.course.exercise import Exercise
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options, silent
from normgrade.grading.opening import open_grader
from normgrade.grading.parallel import Job, Tick, over_cores
from normgrade.grading.preparation import settle
from normgrade.language import _

UNITS = 20  # of work in each exercise, for any number of tests


def warm(exercises: Sequence[Exercise], options: Options) -> None:
    """Compute and keep the expectations of every test of these exercises, with the seed of the options. Kept ones take no time."""
    plain = replace(options, progress=silent, cores=1)  # a progress bar does not travel to other processes
    jobs = [Job(UNITS, partial(warm_one, exercise)) for exercise in exercises]
    first = _("expected results, once for seed {seed}", seed=options.seed)
    over_cores(jobs, options.cores, options.progress, partial(open_grader, exercises, plain), first=first)


def warm_one(exercise: Exercise, grader: Grader, tick: Tick) -> None:
    """Let the reference play every test of an exercise."""
    grader.forget()  # all about other exercises
    suite = grader.suites[exercise.slug]
    begun = told = 0

    def enough() -> bool:
        """Report the work that was done before the next test."""
        nonlocal begun, told
        for _unit in range(told, UNITS * begun // len(suite.tests)):
            tick(exercise.slug)
            told += 1
        begun += 1
        return False

    reference_run = grader.reference_run(exercise)
    reference_run.ahead(suite, enough)
    settle(grader, exercise, reference_run)
    for _unit in range(told, UNITS):
        tick(exercise.slug)
