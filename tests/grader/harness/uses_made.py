"""Made-up plays of a layer: their steps, their observations and their expectations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from normgrade.compare.played import Played
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.worker.wire.observation import Array, Cause, Error, Frame, Observation, Value
from normgrade.worker.wire.requests import Action, LayerStep, LayerStory, TypedRequest

X = np.ones((4, 3), np.float32)
RIGHT, WRONG = 1.0, 2.0


def step(x: np.ndarray, action: Action = Action.TRAIN, dtype: str = "float32") -> LayerStep:
    return LayerStep(action, Array(x, dtype))


def story(steps: Sequence[LayerStep], args: Sequence[Any] = (3,), kwargs: Mapping[str, Any] | None = None) -> LayerStory:
    return LayerStory("Norm", args, kwargs or {}, steps=steps)


def raised(step: int | str, kind: str = "ValueError", line: int = 7) -> Error:
    return Error(Cause.RAISED, "no", (kind, "Exception"), (Frame(line, "forward", "x"),), step)


def play(request: TypedRequest, error: Error | None = None, due: Error | None = None, wrong: Collection[int] = ()) -> Played:
    """Return a play with one number at each step before the error; the numbers of the `wrong` steps are wrong."""
    count = len(request.steps) if isinstance(request, LayerStory) else 0
    reached = error.step - 1 if error is not None and isinstance(error.step, int) else 0 if error is not None else count
    places = [Place("output", step=number) for number in range(1, count + 1)]
    right = {place: Expected(Array(np.array([RIGHT]), "float64"), "float32", np.zeros(1)) for place in places}
    seen: dict[str, Value] = {
        place: Array(np.array([WRONG if place.step in wrong else RIGHT], np.float32), "float32") for place in places[:reached]
    }
    return Played(Observation(seen, error), Expectation(request, right, due), due.types[:1] if due is not None else None)
