"""The choice of the most informative failing play: the smallest one whose sizes distinguish the axes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from normgrade.compare.played import Played, PlayKey, Result
from normgrade.diagnosis.steps.same_values import collapsed
from normgrade.oracle.inputs import arrays_in, holds_non_finite, widened
from normgrade.report.report import ArrayDifference
from normgrade.worker.wire.observation import HALF, MOST_NUMBERS, Array, Playable
from normgrade.worker.wire.requests import FORWARD_BACKWARD, Action, FunctionCall, LayerStory, NewLayer, TypedRequest

FEW = 12  # numbers of the largest array; with fewer, values may agree by chance


@dataclass(frozen=True, eq=False)
class Failing:
    """A play that fails, up to its first failing step: as requested, and in float64 with its backward pass and without.

    `key` is that of the first play with this request.
    """

    key: PlayKey
    request: TypedRequest
    whole: Playable
    forward: Playable
    size_limit_bytes: int


def failing_plays(results: Iterable[Result]) -> list[Failing]:
    """Return the plays in which numbers are wrong, the most informative first, each request once."""
    found: dict[int, tuple[tuple[float, ...], Failing]] = {}
    plays = (((result.check.name, number), play) for result in results for number, play in enumerate(result.plays))
    for key, play in plays:
        if id(play.expectation) not in found and (cut := up_to_the_first_difference(play)) is not None:
            failing = Failing(key, cut, widened(cut), widened(without_backward(cut)), 2 * play.expectation.size_bytes)
            found[id(play.expectation)] = how_telling(cut), failing
    return [failing for _key, failing in sorted(found.values(), key=lambda pair: pair[0])]


def up_to_the_first_difference(play: Played) -> TypedRequest | None:
    """Return the request of a play, cut after the first step with wrong numbers; None if nothing can be learnt from it."""
    request = play.expectation.request
    if not play.came_to_its_end or play.expectation.error is not None or isinstance(request, NewLayer):
        return None
    wrong = [each for each in play.differences if isinstance(each, ArrayDifference)]
    if not wrong or holds_non_finite(request.inputs) or max(map(size_of, arrays_in(request.inputs)), default=0) > MOST_NUMBERS:
        return None
    if not isinstance(request, LayerStory):
        return request
    steps = [each.place.step for each in wrong if each.place.step is not None]
    return replace(request, steps=request.steps[: min(steps)]) if steps else None


def without_backward(request: TypedRequest) -> TypedRequest:
    """Return the request without its backward passes, unless a later step learns from them, or they are written by hand."""
    match request:
        case LayerStory() if request.layer != FORWARD_BACKWARD and all(step.action is not Action.LEARN for step in request.steps):
            return replace(request, steps=[replace(step, upstream=None) for step in request.steps])
        case FunctionCall():
            return replace(request, upstream=None)
        case _:
            return request


def how_telling(request: TypedRequest) -> tuple[float, ...]:
    """Return the sort key of plays: plain ones come first, then those whose sizes distinguish the axes, then small ones."""
    arrays = [*arrays_in(request.inputs)]
    largest = max(arrays, key=size_of, default=None)
    shape = () if largest is None else largest.values.shape
    steps = request.steps if isinstance(request, LayerStory) else ()
    unusual = sum(not step.plain for step in steps) + any(each.dtype in HALF for each in arrays)
    alike = len(shape) - len({*shape} - {1})
    few = largest is None or size_of(largest) < FEW
    constant = largest is not None and collapsed(largest.values).size < size_of(largest)
    return constant, unusual, len(steps) > 2, few, alike, len(steps), sum(map(size_of, arrays))


def size_of(array: Array) -> int:
    return math.prod(array.values.shape)
