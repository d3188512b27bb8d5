"""All work before a submission is played. Most of it is done while the zygote imports the library, so that it takes no extra time."""

from __future__ import annotations

from itertools import count

from normgrade.course.exercise import Exercise
from normgrade.grading.ahead import compute_ahead, doing, ships
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import PUBLIC_SEED
from normgrade.grading.opening import starting
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.tracking import plays_of


def prepare(grader: Grader, exercise: Exercise, seed: int | None = None) -> None:
    """Compute the expectations that plays with this seed need, by default the seed of the options, and wait for the zygote.

    Expectations that are neither shipped nor kept are computed on all cores first. All other work ends when the zygote is ready; the rest
    is done on demand.
    """
    suite, reference_run, host = grader.played(exercise), grader.reference_run(exercise, seed), grader.host(exercise)
    compute_ahead(suite, reference_run, grader.options)
    expected = doing(exercise, reference_run.seed)
    numbers = count()

    def enough() -> bool:
        if not host.ready:
            grader.options.progress(expected, next(numbers), len(suite.tests))
        return host.ready

    reference_run.ahead(suite, enough)
    if not host.ready:
        grader.options.progress(starting(exercise.written_with), 0, 0)
        grader.options.meanwhile()
    settle(grader, exercise, reference_run)
    read_footprints(grader, exercise)


def settle(grader: Grader, exercise: Exercise, reference_run: ReferenceRun) -> None:
    """Have the reference play all that the shipped expectations of a suite need, before a submission gets the worker."""
    plays = grader.oracles[exercise.slug].exact_plays
    if plays is not None and ships(reference_run):
        reference_run.ahead(grader.played(exercise), lambda: False)
        plays.settle()


def read_footprints(grader: Grader, exercise: Exercise) -> None:
    """Read the shipped footprints and right answers for a diagnosis, until the zygote is ready."""
    host, reference_run = grader.host(exercise), grader.reference_run(exercise, PUBLIC_SEED)
    if host.ready or exercise.slug in grader.tracked or not ships(reference_run):
        return
    grader.footprints_at_hand(exercise)
    for _key, play in plays_of(grader.suites[exercise.slug], reference_run):
        if host.ready:
            return
        play.right  # noqa: B018  (made once for each expectation)
