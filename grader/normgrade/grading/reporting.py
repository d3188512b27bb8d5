"""The report on one submission, step by step: play its checks, put differences into words, look for the mistake, count the points."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np

from normgrade.compare.idle import is_idle
from normgrade.compare.played import Result
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
from normgrade.course.own_numbers import called
from normgrade.diagnosis.deadline import Deadline, OutOfTime
from normgrade.diagnosis.investigation import Found
from normgrade.diagnosis.steps.step import Step
from normgrade.grading.grade import OnEvent, Submission, report_of_inspection
from normgrade.grading.grader import Grader, Submitted
from normgrade.grading.grading_options import PUBLIC_SEED
from normgrade.grading.preparation import prepare
from normgrade.inspection.cells import told_of_cells
from normgrade.inspection.inspection import Inspection
from normgrade.language import _
from normgrade.language.text import lines_of
from normgrade.pointing.pointing import spots_of
from normgrade.remarks.crash import told
from normgrade.remarks.remarks import remark, sized
from normgrade.remarks.works_for import limits, within
from normgrade.report.report import (
    BUILT_IN,
    CRASH,
    IDLE,
    NOTHING_COMPUTED,
    SOME_INPUTS,
    UNLISTED,
    Check,
    Death,
    Diagnosis,
    Outcome,
    Report,
    Spot,
    WrongStep,
    judgement,
)

NO_TIME = Found(None, stopped=True)


def report_on(grader: Grader, submission: Submission, inspection: Inspection, on_event: OnEvent = lambda event: None) -> Report:
    """Return the report on an inspected submission: play its checks, put differences into words, look for the mistake."""
    report = report_of_inspection(submission, inspection, grader.options.seed)
    if not inspection.playable:
        return report
    with np.errstate(all="ignore"):  # the report tells of NaN and infinity; warnings of NumPy need not
        return report_on_plays(grader, submission, inspection, report, on_event)


def report_on_plays(grader: Grader, submission: Submission, inspection: Inspection, report: Report, on_event: OnEvent) -> Report:
    """Return the report on a submission that can be played, completing its report of inspection."""
    started = time.perf_counter()
    results, checks = [], []
    for result in results_of(grader, submission, inspection, on_event):
        results.append(result)
        check = remark(result, submission.exercise)  # while the worker plays the next check
        checks.append(told(check, result, submission.exercise, report.source))
    protection = grader.host(submission.exercise).protection
    report = replace(
        report,
        possible=grader.suites[submission.exercise.slug].points,
        checks=sized(checks, results),
        outcome=judgement([result.check for result in results], inspection.findings),
        sandbox=protection.tier,
        lost=protection.loses,
        deaths=tuple(deaths_in(results)),
        cells=told_of_cells(report.source, {**failed_in(results), **inspection.left_out}),
        duration_s=time.perf_counter() - started,
    )
    if is_idle(results):
        report = idle(report)
    elif any(check.outcome is Outcome.FAILED for check in report.checks):
        found = limits(results, submission.exercise.defines)
        report = replace(report, limits=tuple(dict.fromkeys(limit.says for limit in found)))
        calling = within(found, results, submission.exercise.defines)
        on_event(replace(report, searching=bool(calling) and grader.search_s(submission.exercise) > 0))
        report = diagnosed(grader, submission, report, results, calling)
    return replace(report, duration_s=time.perf_counter() - started)


def results_of(grader: Grader, submission: Submission, inspection: Inspection, on_event: OnEvent) -> Iterator[Result]:
    """Yield the results of all checks, and call `on_event` with each check when it ends."""
    exercise, source = submission.exercise, inspection.source or ""
    prepare(grader, exercise)
    total = len(grader.played(exercise).tests)
    for number, result in enumerate(grader.results(exercise, source, submission.path.name), 1):
        grader.options.progress(_("{submission}: check {n} of {total}", submission=submission.name, n=number, total=total), number, total)
        on_event(result.check)
        yield result


def deaths_in(results: Sequence[Result]) -> Iterator[Death]:
    """Yield the processes that died in these plays, which are counted over all checks."""
    plays = ((result.check.name, play.observation) for result in results for play in result.plays)
    for number, (check, observation) in enumerate(plays, 1):
        yield from (Death(check, number, why) for why in observation.deaths)


def idle(report: Report) -> Report:
    """Return the report on code that computes nothing, which needs no search."""
    failed = tuple(check.name for check in report.checks if check.outcome is Outcome.FAILED)
    says = _("Nothing is computed: every call gives back numbers that it was given, or one number everywhere.")
    found = Diagnosis((NOTHING_COMPUTED,), says, failed, cost=report.possible - report.possible // IDLE, texts=(says,))
    return replace(report, diagnoses=(found,), idle=True)


def failed_in(results: Sequence[Result]) -> dict[int, str]:
    """Return the reasons why statements of a notebook failed, by their lines."""
    return {line: why for result in results for play in result.plays for line, why in play.observation.left_out.items()}


def diagnosed(grader: Grader, submission: Submission, report: Report, results: Sequence[Result], calling: Collection[str]) -> Report:
    """Return the report with the mistakes that explain it, or with the time after which the search for them was stopped.

    `calling` names the checks in which a call came to its end. If there are none, nothing is searched: only a mistake that is obvious
    at once is named.
    """
    exercise, within_s, deadline = submission.exercise, grader.search_s(submission.exercise), grader.deadline(submission.exercise)
    started = time.monotonic()
    if calling:
        grader.options.progress(_("{submission}: looking for the mistake", submission=submission.name), 0, 0)
    found, step, stopped = explained(grader, submission, report, results, within_s if calling else 0.0, deadline) if within_s else NO_TIME
    if stopped and calling:
        report = replace(report, stopped_after_s=within_s and time.monotonic() - started)
    if found is None:
        return report
    failed = [check.name for check in report.checks if check.outcome is Outcome.FAILED]
    diagnoses = tuple(replace(each, checks=tuple(name for name in failed if name in each.checks)) for each in found)
    unexplained = tuple(name for name in failed if not any(name in each.checks for each in diagnoses[:1]))
    shown = None if step is None else wrong_step(step, report.source)
    diagnoses = pointed(diagnoses, submission.exercise, report.source, shown)
    report = replace(report, diagnoses=diagnoses, unexplained=unexplained, step=shown)
    return replace(report, granted=granted(report, calling) if exercise.credit == "mistakes" else 0)


def explained(
    grader: Grader, submission: Submission, report: Report, results: Sequence[Result], within_s: float, deadline: Deadline
) -> Found:
    """Return the diagnoses and the first wrong step, from plays with the public seed."""
    try:
        if grader.options.seed != PUBLIC_SEED:
            prepare(grader, submission.exercise, PUBLIC_SEED)
            results = list(deadline.each(grader.results(submission.exercise, report.source, submission.path.name, PUBLIC_SEED)))
        return grader.diagnose(submission.exercise, results, within_s, deadline, Submitted(report.source, submission.path.name))
    except OutOfTime:
        return NO_TIME


def wrong_step(step: Step, source: str) -> WrongStep:
    """Return the first wrong step in the form of the report."""
    return WrongStep(step.says, Spot(UNLISTED, step.line, step.column, step.width, lines_of(source)[step.line - 1]))


def pointed(diagnoses: tuple[Diagnosis, ...], exercise: Exercise, source: str, step: WrongStep | None) -> tuple[Diagnosis, ...]:
    """Return the diagnoses with the lines of the submission that have their mistakes."""
    if {mistake for diagnosis in diagnoses for mistake in diagnosis.mistakes} <= {*BUILT_IN} - {UNLISTED}:
        return diagnoses
    reference, known = read_text(exercise.reference), read_mistakes(exercise)
    made = ([*filter(None, (called(name, known, reference) for name in diagnosis.mistakes))] for diagnosis in diagnoses)
    unlisted = () if step is None else (step.spot,)
    return tuple(
        replace(each, spots=(*spots_of(mistakes, reference, source), *(unlisted if UNLISTED in each.mistakes else ())))
        for each, mistakes in zip(diagnoses, made, strict=True)
    )


def granted(report: Report, calling: Collection[str]) -> int:
    """Return the most points that remain with the first diagnosis, or with some of its mistakes only.

    So no mistake costs more than the claims that would be open without it.
    """
    if not report.diagnoses:
        return 0
    first = report.diagnoses[0]
    named = range(len(first.parts))
    some = chain.from_iterable(combinations(named, size) for size in range(len(first.parts) + 1))
    return max(remaining(report, without(first, left_out), calling) for left_out in some)


def without(diagnosis: Diagnosis, left_out: Collection[int]) -> Diagnosis:
    """Return a diagnosis without the mistakes of these numbers, and without the checks that they have a part in."""
    opened = {name for number in left_out for name in diagnosis.parts[number]}
    cost = diagnosis.cost - sum(diagnosis.costs[number] for number in left_out)
    mistakes = tuple(name for number, name in enumerate(diagnosis.mistakes) if number not in left_out)
    return replace(diagnosis, mistakes=mistakes, checks=tuple(name for name in diagnosis.checks if name not in opened), cost=cost)


def remaining(report: Report, diagnosis: Diagnosis, calling: Collection[str]) -> int:
    """Return the points that remain after the cost of a diagnosis and the points of the claims that it does not explain.

    `calling` names the checks in which a call came to its end within the limits. A submission that raises an exception has computed
    nothing there. So unless known mistakes explain everything, explained checks without such a call count only for as many points as
    the checks in `calling` that hold or are explained.
    """
    wrong = [check for check in report.checks if check.outcome is not Outcome.PASSED]
    left_open = points_of(check for check in wrong if check.name not in diagnosis.checks)
    silent = points_of(check for check in wrong if check.name in diagnosis.checks and check.name not in calling)
    backing = points_of(check for check in report.checks if check.name in calling) - points_of(
        check for check in wrong if check.name in calling and check.name not in diagnosis.checks
    )
    in_doubt = max(silent - backing, 0) if left_open or {SOME_INPUTS, CRASH} & {*diagnosis.mistakes} else 0
    return max(report.possible - max(diagnosis.cost, 1) - left_open - in_doubt, 0)


def points_of(checks: Iterable[Check]) -> int:
    return sum(check.points for check in checks)
