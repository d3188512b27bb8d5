"""A check of the reference: if the alternatives agree with each other against it, it is the likelier culprit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from normgrade.compare.played import Result
from normgrade.course.exercise import Exercise
from normgrade.report.report import ArrayDifference, Numbers, Outcome

Differences = Mapping[tuple[str, str], ArrayDifference]  # by check and place


def agree_against_the_reference(exercise: Exercise, rejected: Mapping[Path, Sequence[Result]]) -> bool:
    """Return True if all alternatives, two at least, are rejected in the same places, with the same numbers there."""
    if len(rejected) < 2 or set(rejected) != set(exercise.alternatives):
        return False
    return all(alike(dict(numbers(one)), dict(numbers(other))) for one, other in pairwise(rejected.values()))


def numbers(results: Sequence[Result]) -> Iterator[tuple[tuple[str, str], ArrayDifference]]:
    """Yield every difference of one answer that has numbers, with its check and place."""
    for check in (result.check for result in results if result.check.outcome is Outcome.FAILED):
        for difference in check.differences:
            if isinstance(difference, ArrayDifference):
                yield (check.name, difference.place), difference


def alike(one: Differences, other: Differences) -> bool:
    """Return True if two answers differ from the reference in the same places, but not from each other."""
    return bool(one) and one.keys() == other.keys() and all(same(one[key].numbers, other[key].numbers) for key in one)


def same(one: Numbers, other: Numbers) -> bool:
    """Return True if two arrays of numbers are as close to each other as both would have to be to the reference."""
    with np.errstate(all="ignore"):
        return bool((np.abs(one.actual - other.actual) <= 2 * one.allowed).all())
