"""Results of probes, independent of the library that the code uses: values by place, and the exception of a step that raised."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from normgrade.language.places import BUILD, Place, gradient_of

__all__ = [
    "BUILD", "OUTPUT", "OVERWRITTEN", "STEEP", "Estimate", "Place", "Stopped", "gradient_of", "gradient_of_input", "left_alone", "parts",
]  # fmt: skip

OUTPUT = Place("output")
OVERWRITTEN = Place("right gradients after the output is changed in place")
STEEP = 2.0**13  # the factor of a steep gradient of an output; in half precision, the product is exact


class Estimate(NamedTuple):
    """A number estimated from random draws, which need not be the same in your code and in the reference.

    - `value`: a number, or a tensor or array of any shape.
    - `error`: the standard error of `value`, a number of the same unit. The grader allows for that of the reference.

    >>> draws = np.array([0.9, 1.1, 1.0, 1.0])
    >>> estimate = Estimate(draws.mean(), draws.std() / len(draws) ** 0.5)
    >>> f"{estimate.value:.2f} ± {estimate.error:.2f}"
    '1.00 ± 0.04'
    """

    value: Any
    error: Any


class Stopped(Exception):
    """An exception that a probe raises if one of its steps raises.

    Values that were seen before still count. The cause is the step's exception.

    - `step`: the number of the step, from 1; BUILD before the first step, and None if the probe has no steps.
    - `seen`: the values that were seen before, place → value.

    >>> try:
    ...     raise Stopped(2, {Place("output", step=1): np.ones(2)}) from ValueError("x has 1 dimension")
    ... except Stopped as stopped:
    ...     stopped.step, list(stopped.seen), stopped.__cause__
    (2, ['step 1 · output'], ValueError('x has 1 dimension'))
    """

    def __init__(self, step: int | str | None, seen: dict[str, Any]) -> None:
        super().__init__(step or "")
        self.step = step
        self.seen = seen


@cache
def left_alone(number: int) -> Place:
    """Return the place of an input after the call. There is seldom more than one."""
    return Place("input left alone") if number == 1 else Place("input {number} left alone", number=number)


@cache
def gradient_of_input(number: int) -> Place:
    return gradient_of("input") if number == 1 else gradient_of("input {number}", number=number)


def parts(result: Any) -> dict[str, Any]:
    """Return a result at its place. For a tuple or a named tuple, each item has its own place.

    >>> parts((1, 2))
    {'result[0]': 1, 'result[1]': 2}
    >>> parts(Estimate(value=3, error=0.5))
    {'result.value': 3, 'result.error': 0.5}
    """
    if not isinstance(result, tuple):
        return {Place("result"): result}
    named = [Place("result.{name}", name=name) for name in getattr(result, "_fields", ())]
    return dict(zip(named or [Place("result[{index}]", index=index) for index in range(len(result))], result, strict=True))
