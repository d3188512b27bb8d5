"""The extent of the tests: CI sets NORMGRADE_THOROUGH and plays nearly everything; `make test` plays enough to notice a defect.

With NORMGRADE_THOROUGH=everything, tests that take too long for CI are played, too.
"""

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

from normgrade.course.course import Course
from normgrade.course.package import carried

THOROUGH = "NORMGRADE_THOROUGH" in os.environ
EVERYTHING = os.environ.get("NORMGRADE_THOROUGH") == "everything"
FEW = ("batch_norm", "layer_norm", "softmax_backward")  # exercises whose expectations other tests need, too, or that take little time
T = TypeVar("T")


def all_or(number: int, items: Iterable[T]) -> Sequence[T]:
    """Return all items if the tests are thorough, else `number` of them, spread evenly from the first on."""
    kept = list(items)
    if THOROUGH or number >= len(kept):
        return kept
    return [kept[index * len(kept) // number] for index in range(number)]


def all_exercises_or_few() -> Sequence[str]:
    """Return the names of all exercises if the tests are thorough, else of a few."""
    return Course(carried()).slugs if THOROUGH else FEW
