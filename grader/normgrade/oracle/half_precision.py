"""The slack of numbers in half precision: a layer may round its state to it, and its backward pass."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from types import ModuleType

from normgrade.language.places import Place
from normgrade.oracle.draws import layout
from normgrade.oracle.expected import UNIT_ROUNDOFF, Expected
from normgrade.oracle.inputs import floats, shaking, widened
from normgrade.oracle.monte_carlo import movement
from normgrade.oracle.plays import play_exactly
from normgrade.worker.wire.observation import HALF, Array, Observation
from normgrade.worker.wire.requests import LayerStory, typed


def with_half_precision(
    places: dict[Place, Expected], story: LayerStory, implementation: ModuleType, probes: ModuleType | None, plays: int
) -> dict[Place, Expected]:
    """Return the places with slack for the roundings to half precision that a layer may make: in its state and its backward pass."""
    for dtype in HALF:
        if not any(place.dtype == dtype for place in places.values()):
            continue
        wide, names = typed(widened(story)), rounded_in(dtype, implementation, story, probes)
        assert isinstance(wide, LayerStory)
        written = any(each.dtype == dtype for each in story.state.values())
        stories = (with_rounded_state(wide, names, UNIT_ROUNDOFF[dtype], seed, written) for seed in range(plays))
        shaken = [play_exactly(implementation, each, probes) for each in stories]
        rounded = {name for name, place in places.items() if place.dtype == dtype or goes_back_in(dtype, story, name)}
        places = places | {name: with_slack(places[name], dtype, name, shaken) for name in rounded}
    return places


def rounded_in(dtype: str, implementation: ModuleType, story: LayerStory, probes: ModuleType | None) -> Collection[str]:
    """Return the names of a layer's state that may be rounded to that dtype: tensors of that dtype, and all parameters.

    A float32 buffer is a statistic, and is left out.
    """
    import torch  # loads PyTorch

    tensors = layout(implementation, story, probes)
    return {name for name, value in story.state.items() if value.dtype == dtype or isinstance(tensors.get(name), torch.nn.Parameter)}


def with_rounded_state(story: LayerStory, names: Collection[str], unit: float, seed: int, written: bool = False) -> LayerStory:
    """Return the story with every number of these parameters and buffers multiplied by 1 + ξ·u.

    If `written`, the numbers that its steps write are multiplied, too.
    """
    shaken = floats({name: value for name, value in story.state.items() if name in names}, shaking(unit, seed))
    return replace(story, state={**story.state, **shaken}, rounding=(unit, seed) if written else ())


def goes_back_in(dtype: str, story: LayerStory, place: Place) -> bool:
    """Return True for a gradient that comes from an output of that dtype, which rounds it for every dtype of the parameter."""
    if place.learnt is None or place.step is None:
        return False
    x = story.steps[place.step - 1].x
    return x is not None and x.dtype == dtype


def with_slack(place: Expected, dtype: str, name: Place, shaken: Sequence[Observation]) -> Expected:
    if not isinstance(place.value, Array):
        return place
    slack = movement(place.value, name, shaken)
    if name.learnt is not None and place.spread is not None:  # its backward pass may round every number, in any order
        slack = slack + place.spread * UNIT_ROUNDOFF[dtype] / UNIT_ROUNDOFF["float32"]
    return replace(place, slack=slack)
