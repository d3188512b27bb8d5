"""Remarks on failed checks: the pattern of each difference, and the pattern that all have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from normgrade.compare.differences import allowed
from normgrade.compare.played import Played, Result
from normgrade.course.exercise import Exercise
from normgrade.language.places import NO_WORDS, place_in_words
from normgrade.remarks.call import call_in_words
from normgrade.remarks.context import Setting, setting_of
from normgrade.remarks.likeness import looks_like, same_but_for_form
from normgrade.remarks.trends import SizedStep, by_size, pattern, steps_of
from normgrade.report.report import ArrayDifference, Check, Difference, Outcome
from normgrade.worker.wire.observation import Array


def remarked(results: Sequence[Result], exercise: Exercise) -> tuple[Check, ...]:
    """Return the checks of the results. Failed ones have remarks in the words of their exercise."""
    return sized([remark(result, exercise) for result in results], results)


def remark(result: Result, exercise: Exercise) -> Check:
    """Return a result's check. If it failed, its differences get words on their patterns, and an empty message their common pattern."""
    check, play = result.check, result.wrong
    if check.outcome is not Outcome.FAILED:
        return check
    message, differences = check.message, check.differences
    if play is not None:
        message = message or (in_common(play, exercise.places) if play.came_to_its_end else "")
        setting = setting_of(play.expectation.request, exercise.defines)
        differences = tuple(likened(each, play, setting) for each in differences)
    called = tuple(replace(each, called=place_in_words(each.place, exercise.places)) for each in differences)
    return replace(check, message=message, differences=called, call=call_of(result, exercise))


def call_of(result: Result, exercise: Exercise) -> str:
    """Return the call in which a check failed, as a learner would write it; "" if nothing was played."""
    if not result.plays:
        return ""
    play = result.failed_at
    error, found = play.observation.error, play.differences
    step = error.step if error is not None else found[0].place.step if found else None
    return call_in_words(play.expectation.request, step, exercise)


def sized(checks: Sequence[Check], results: Sequence[Result]) -> tuple[Check, ...]:
    """Return the checks of all results. If only the size of the input decides, failed checks without a message say so."""
    size = by_size_of_input(results)
    return tuple(replace(check, message=check.message or size) if check.outcome is Outcome.FAILED else check for check in checks)


def in_common(play: Played, words: Mapping[str, str] = NO_WORDS) -> str:
    """Return the common pattern of all differences of a play; `words` are the exercise's own words for its places."""
    return pattern(play.expectation.request, play.expectation.places, play.differences, words)


def likened(difference: Difference, play: Played, setting: Setting) -> Difference:
    """Return the difference, with a few words on its pattern if it has one."""
    place = difference.place
    if isinstance(difference, ArrayDifference):
        numbers = difference.numbers
        return replace(difference, looks_like=looks_like(numbers.expected, numbers.actual, numbers.allowed, setting, place))
    actual, expected = play.observation.values.get(place), play.expectation.places[place]
    if not isinstance(actual, Array) or not isinstance(expected.value, Array):
        return difference
    right, same_dtype = expected.value.values, actual.dtype == expected.dtype
    return replace(difference, looks_like=same_but_for_form(right, actual.values, allowed(expected), same_dtype))


def by_size_of_input(results: Sequence[Result]) -> str:
    """Return a note if all failures are for large inputs only, or for small ones only; else an empty text."""
    failed = [result for result in results if result.check.outcome is Outcome.FAILED]
    if not failed or not all(any(not step.right for step in steps_taken(result)) for result in failed):
        return ""
    return by_size([step for result in results for step in steps_taken(result)])


def steps_taken(result: Result) -> Iterator[SizedStep]:
    """Yield the steps of those plays of a check that came to their end."""
    for play in result.plays:
        if play.came_to_its_end:
            yield from steps_of(play.expectation.request, play.differences)
