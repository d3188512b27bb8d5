"""How much is played of all that could be: most of it in CI, where NORMGRADE_THOROUGH is set; `make test` plays enough to notice a defect.

With NORMGRADE_THOROUGH=everything, what would take CI too long is played, too.
"""

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

from normgrade.course.course import Course, carried

THOROUGH = "NORMGRADE_THOROUGH" in os.environ
EVERYTHING = os.environ.get("NORMGRADE_THOROUGH") == "everything"
FEW = ("batch_norm", "layer_norm", "softmax_backward")  # exercises whose expectations other tests need, too, or which take little time
T = TypeVar("T")


def all_or(number: int, items: Iterable[T]) -> Sequence[T]:
    """All items where everything is played, and otherwise so many of them, spread evenly from the first to the last."""
    kept = list(items)
    if THOROUGH or number >= len(kept):
        return kept
    return [kept[index * len(kept) // number] for index in range(number)]


def all_exercises_or_few() -> Sequence[str]:
    """The names of the exercises, where everything is played, and otherwise of few of them."""
    return Course(carried()).slugs if THOROUGH else FEW
