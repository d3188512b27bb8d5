"""The common pattern of all differences of a check: only in evaluation, only in the gradient, only for large inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from normgrade.language import _
from normgrade.language.places import NO_WORDS, Place, learnt_in_words, place_in_words, step_in_words
from normgrade.remarks.likeness import not_a_number
from normgrade.report.report import ArrayDifference, Difference, Numbers
from normgrade.worker.wire.observation import HALF
from normgrade.worker.wire.requests import Action, LayerStory, TypedRequest

FAR = 5.0  # how many times larger, or smaller, wrong inputs have to be than right ones, for their size to explain it
MANY = 10  # of so many steps on either side, all are larger, or smaller, by no chance


@dataclass(frozen=True, slots=True)
class SizedStep:
    """One use of a layer: its number, if it trained, the size of its input, and if everything observed of it is right.

    In `half` precision, rounding hides small numbers.
    """

    number: int
    trains: bool
    size: float
    right: bool
    half: bool = False


def steps_of(request: TypedRequest, found: Sequence[Difference]) -> list[SizedStep]:
    """Return the steps of a layer's story that have an input; none for other requests."""
    wrong = {difference.place.step for difference in found}
    taken = enumerate(request.steps, 1) if isinstance(request, LayerStory) else ()
    return [
        SizedStep(number, step.action is Action.TRAIN, size_of(step.x.values), number not in wrong, step.x.dtype in HALF)
        for number, step in taken
        if step.x is not None and step.action is not Action.ATTEMPT
    ]


def size_of(x: np.ndarray) -> float:
    """Return the largest |x|; 0, which shows nothing, if a number is not finite."""
    return float(np.abs(x).max(initial=0)) if np.isfinite(x).all() else 0.0


def pattern(request: TypedRequest, places: Mapping[Place, object], found: Sequence[Difference], words: Mapping[str, str] = NO_WORDS) -> str:
    """Return the common pattern of the differences that were `found` among these places, in a sentence; empty if there is none.

    `words` are the exercise's own words for its places.
    """
    return by_gradient(places, found, words) or by_mode(steps_of(request, found)) or first_not_finite(places, found, words)


def by_mode(steps: Sequence[SizedStep]) -> str:
    """Return a sentence if the mode decides, or the state kept between steps; empty if the size of the input explains it as well.

    What is right in half precision may be so because rounding hides an error, so it shows nothing beside a wrong step in half precision.
    """
    right, wrong = [step for step in steps if step.right], [step for step in steps if not step.right]
    if any(step.half for step in wrong):
        right = [step for step in right if not step.half]
    if not right or not wrong or by_size(steps):
        return ""
    if {step.trains for step in right}.isdisjoint(step.trains for step in wrong):
        return _("Right in evaluation, wrong in training.") if wrong[0].trains else _("Right in training, wrong in evaluation.")
    if [step.right for step in steps] == [True] * len(right) + [False] * len(wrong):
        if wrong[0].number == 2:
            return _("Right at first, wrong from the second step on.")
        return _("Right at first, wrong from {step} on.", step=step_in_words(wrong[0].number))
    return ""


def by_gradient(places: Mapping[Place, object], found: Sequence[Difference], words: Mapping[str, str] = NO_WORDS) -> str:
    """Return a sentence if only the backward pass is wrong; else an empty text."""
    wrong = {difference.place for difference in found}
    backward = {place for place in places if place.learnt is not None}
    if not wrong or not wrong <= backward or len(backward) == len(places):
        return ""
    learnt = _(" and ").join(dict.fromkeys(learnt_in_words(place, words) for place in places if place in wrong))
    return _("The forward pass is right, but the gradient of {names} is wrong.", names=learnt)


def first_not_finite(places: Mapping[Place, object], found: Sequence[Difference], words: Mapping[str, str]) -> str:
    """Return a sentence on the first place with NaN or Inf that is not due; empty if this is the very first place."""
    for difference in found:
        if isinstance(difference, ArrayDifference) and (noun := not_due(difference.numbers)):
            everywhere = difference.place == next(iter(places))
            return "" if everywhere else _("{noun} first appears at {place}.", noun=noun, place=place_in_words(difference.place, words))
    return ""


def not_due(numbers: Numbers) -> str:
    """Return "NaN" or "Inf" for the first number that is not finite, but should be; empty if there is none."""
    return not_a_number(numbers.actual[np.isfinite(numbers.expected)])


def by_size(steps: Sequence[SizedStep]) -> str:
    """Return a sentence if the size of the input decides which of these steps are right. Zeros and half precision show too little."""
    right, wrong = ([step.size for step in steps if step.size and not step.half and step.right is right] for right in (True, False))
    if not right or not wrong:
        return ""
    if apart(right, wrong):
        return _(
            "Wrong only for large inputs: right up to |x| = {right:.3g}, wrong from {wrong:.3g} on.", right=max(right), wrong=min(wrong)
        )
    if apart(wrong, right):
        return _(
            "Wrong only for small inputs: right from |x| = {right:.3g} on, wrong up to {wrong:.3g}.", right=min(right), wrong=max(wrong)
        )
    return ""


def apart(small: Sequence[float], large: Sequence[float]) -> bool:
    """Return True if all of the large sizes are above all of the small ones, either far above them or by no chance."""
    return min(large) >= FAR * max(small) or (min(large) > max(small) and min(len(small), len(large)) >= MANY)
