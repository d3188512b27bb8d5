"""What a story tells of its layer and inputs: where the numbers of a difference may come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from normgrade.course.signature import Signature
from normgrade.worker.observation import Array, Request


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """`numbers` are those that the layer was built with, by name; `counts`, of values that may have been averaged, smallest first.

    `inputs` are by step, as in "step 2". `weight` and `bias` are None where there are none.
    """

    numbers: Mapping[str, float] = field(default_factory=dict)
    counts: tuple[int, ...] = ()
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    weight: np.ndarray | None = None
    bias: np.ndarray | None = None


def setting_of(request: Request, contract: Sequence[Signature]) -> Setting:
    """What the inputs of a request, completed, say."""
    given, inputs = dict(arguments(request.inputs, contract)), dict(inputs_of(request))
    state = {name: array.values for name, array in request.inputs.get("state", {}).items()}
    scalars = {name: values.item() for name, values in state.items() if values.size == 1}
    numbers = {name: float(value) for name, value in (given | scalars).items() if is_telling(value)}
    sizes = counts(inputs.values(), [value for value in given.values() if isinstance(value, int)])
    weight, bias = (state[name].astype(np.float64) if name in state else None for name in ("weight", "bias"))
    return Setting({name: value for name, value in numbers.items() if value not in sizes}, tuple(sorted(sizes)), inputs, weight, bias)


def arguments(inputs: Mapping[str, Any], contract: Sequence[Signature]) -> Iterator[tuple[str, Any]]:
    """Everything that is given by name, and by position under the name that the contract has for it."""
    called = inputs.get("layer") or inputs.get("function")
    names = [parameter.name for signature in contract if signature.name == called for parameter in signature.parameters]
    yield from zip(names, inputs.get("args", ()), strict=False)
    yield from inputs.get("kwargs", inputs).items()


def inputs_of(request: Request) -> Iterator[tuple[str, np.ndarray]]:
    """The input of every step that has one; of a call, its first array."""
    if request.probe == "layer_story":
        for number, step in enumerate(request.inputs["steps"], 1):
            if "x" in step:
                yield f"step {number}", step["x"].values
        return
    for value in (*request.inputs.get("args", ()), *request.inputs.values()):
        if isinstance(value, Array):
            yield "call", value.values
            return


def counts(inputs: Iterable[np.ndarray], groups: Sequence[int]) -> set[int]:
    """How many values any of the axes together hold, also where the second is divided into groups."""
    found = set()
    for shape in {x.shape for x in inputs}:
        divided = [(*shape[:1], shape[1] // group, *shape[2:]) for group in groups if len(shape) > 1 and group > 1 and not shape[1] % group]
        for sizes in (shape, *divided):
            found |= {prod(some) for length in range(1, len(sizes) + 1) for some in combinations(sizes, length)}
    return {count for count in found if count > 1}


def is_telling(value: object) -> bool:
    """Whether a number is one that a factor could be recognised by."""
    return isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value) and abs(value) not in (0, 1)
