"""Whether the alternatives agree with each other against the reference, which is then the likelier culprit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from normgrade.compare.played import Result
from normgrade.course.course import Exercise
from normgrade.report.report import ArrayDifference, Numbers, Outcome

Differences = Mapping[tuple[str, str], ArrayDifference]  # by check and place


def agree_against_the_reference(exercise: Exercise, rejected: Mapping[Path, Sequence[Result]]) -> bool:
    """Whether all alternatives, two at least, are rejected in the same places, where they give the same numbers."""
    if len(rejected) < 2 or set(rejected) != set(exercise.alternatives):
        return False
    return all(alike(dict(numbers(one)), dict(numbers(other))) for one, other in pairwise(rejected.values()))


def numbers(results: Sequence[Result]) -> Iterator[tuple[tuple[str, str], ArrayDifference]]:
    """Everything with numbers in which one answer differs."""
    for check in (result.check for result in results if result.check.outcome is Outcome.FAILED):
        for difference in check.differences:
            if isinstance(difference, ArrayDifference):
                yield (check.name, difference.place), difference


def alike(one: Differences, other: Differences) -> bool:
    """Whether two answers differ from the reference in the same places, and not from each other."""
    return bool(one) and one.keys() == other.keys() and all(same(one[key].numbers, other[key].numbers) for key in one)


def same(one: Numbers, other: Numbers) -> bool:
    """Whether two arrays of numbers are as close to each other as both would have to be to the reference."""
    with np.errstate(all="ignore"):
        return bool((np.abs(one.actual - other.actual) <= 2 * one.allowed).all())
