"""The setting of a request: the layer and the inputs from which the numbers of a difference may come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from normgrade.course.signature import Signature
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import FunctionCall, LayerStory, NewLayer, OwnProbe, TypedRequest


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """The numbers that the layer was built with, by name, and the counts of values that may have been averaged, smallest first.

    `inputs` are by the number of their step. `weight` and `bias` are None if there are none.
    """

    numbers: Mapping[str, float] = field(default_factory=dict)
    counts: tuple[int, ...] = ()
    inputs: Mapping[int, np.ndarray] = field(default_factory=dict)
    weight: np.ndarray | None = None
    bias: np.ndarray | None = None


def setting_of(request: TypedRequest, contract: Sequence[Signature]) -> Setting:
    """Return the setting of a completed request."""
    given, inputs = dict(arguments(request, contract)), inputs_of(request)
    state = {name: array.values for name, array in request.state.items()} if isinstance(request, LayerStory) else {}
    scalars = {name: values.item() for name, values in state.items() if values.size == 1}
    numbers = {name: float(value) for name, value in (given | scalars).items() if is_telling(value)}
    sizes = counts([*inputs.values(), *first_array(request)], [value for value in given.values() if isinstance(value, int)])
    weight, bias = (state[name].astype(np.float64) if name in state else None for name in ("weight", "bias"))
    return Setting({name: value for name, value in numbers.items() if value not in sizes}, tuple(sorted(sizes)), inputs, weight, bias)


def arguments(request: TypedRequest, contract: Sequence[Signature]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments by name; those given by position have the contract's names."""
    if isinstance(request, OwnProbe):
        yield from request.by_name.items()
        return
    called = request.function if isinstance(request, FunctionCall) else request.layer
    names = [parameter.name for signature in contract if signature.name == called for parameter in signature.parameters]
    yield from zip(names, request.args, strict=False)
    yield from request.kwargs.items()


def inputs_of(request: TypedRequest) -> dict[int, np.ndarray]:
    """Return the input of every step that has one."""
    steps = enumerate(request.steps, 1) if isinstance(request, LayerStory) else ()
    return {number: step.x.values for number, step in steps if step.x is not None}


def first_array(request: TypedRequest) -> list[np.ndarray]:
    """Return the first array of a call, in a list; none of a story."""
    match request:
        case LayerStory():
            values: Iterable[Any] = ()
        case OwnProbe():
            values = request.given.values()
        case FunctionCall() | NewLayer():
            values = request.args
    return [value.values for value in values if isinstance(value, Array)][:1]


def counts(inputs: Iterable[np.ndarray], groups: Sequence[int]) -> set[int]:
    """Return the number of values along every combination of axes, also with the second axis divided into groups."""
    found = set()
    for shape in {x.shape for x in inputs}:
        divided = [(*shape[:1], shape[1] // group, *shape[2:]) for group in groups if len(shape) > 1 and group > 1 and not shape[1] % group]
        for sizes in (shape, *divided):
            found |= {prod(some) for length in range(1, len(sizes) + 1) for some in combinations(sizes, length)}
    return {count for count in found if count > 1}


def is_telling(value: object) -> bool:
    """Return True if a number is one by which a factor could be recognised."""
    return isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value) and abs(value) not in (0, 1)
