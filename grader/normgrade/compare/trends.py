"""What all differences of a check have in common: only in evaluation, only in the gradient, only for large inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from normgrade.compare.likeness import not_a_number
from normgrade.language import N_, _, retold
from normgrade.report.place_names import place_in_words
from normgrade.report.report import ArrayDifference, Difference
from normgrade.worker.observation import Array, Request

LEARNT = (  # what has a gradient, and no name of its own
    N_("input"), N_("argument {number}"), N_("the original weight"), N_("the sublayer's {name}"),
)  # fmt: skip
FAR = 5.0  # how many times larger, or smaller, wrong inputs have to be than right ones, for their size to explain it


@dataclass(frozen=True, slots=True)
class Step:
    """One use of a layer: whether it trained, how large its input was, and whether all that was seen of it is right."""

    place: str
    trains: bool
    size: float
    right: bool


def steps_of(request: Request, found: Sequence[Difference]) -> list[Step]:
    """The steps of a layer's story that have an input; none of anything else."""
    wrong = {difference.place.split(" · ")[0] for difference in found}
    taken = enumerate(request.inputs["steps"] if request.probe == "layer_story" else (), 1)
    return [
        Step(f"step {number}", step["do"] == "train", float(np.abs(step["x"].values).max(initial=0)), f"step {number}" not in wrong)
        for number, step in taken
        if isinstance(step.get("x"), Array)
    ]


def pattern(request: Request, places: Mapping[str, object], found: Sequence[Difference]) -> str:
    """What the differences that were `found` among these places have in common, in a sentence; empty where nothing strikes."""
    return by_gradient(places, found) or by_mode(steps_of(request, found)) or first_not_finite(places, found)


def by_mode(steps: Sequence[Step]) -> str:
    """Whether it is the mode, or what was remembered from one step to the next; nothing where it may as well be the size of the input."""
    right, wrong = [step for step in steps if step.right], [step for step in steps if not step.right]
    if not right or not wrong or by_size(steps):
        return ""
    if {step.trains for step in right}.isdisjoint(step.trains for step in wrong):
        return _("Right in evaluation, wrong in training.") if wrong[0].trains else _("Right in training, wrong in evaluation.")
    if [step.right for step in steps] == [True] * len(right) + [False] * len(wrong):
        if wrong[0].place == "step 2":
            return _("Right at first, wrong from the second step on.")
        return _("Right at first, wrong from {step} on.", step=place_in_words(wrong[0].place))
    return ""


def by_gradient(places: Mapping[str, object], found: Sequence[Difference]) -> str:
    """Whether only the way back is wrong."""
    wrong = {difference.place for difference in found}
    backward = {place for place in places if "gradient of " in place}
    if not wrong or not wrong <= backward or len(backward) == len(places):
        return ""
    names = dict.fromkeys(place.split("gradient of ")[1] for place in places if place in wrong)
    learnt = _(" and ").join(retold(name, LEARNT) for name in names)
    return _("The forward pass is right, the gradient is not: that of {names}.", names=learnt)


def first_not_finite(places: Mapping[str, object], found: Sequence[Difference]) -> str:
    """Where NaN or Inf begins, if not everywhere."""
    for difference in found:
        if isinstance(difference, ArrayDifference) and (noun := not_a_number(difference.numbers.actual)):
            everywhere = difference.place == next(iter(places))
            return "" if everywhere else _("{noun} begins at {place}.", noun=noun, place=place_in_words(difference.place))
    return ""


def by_size(steps: Sequence[Step]) -> str:
    """Whether it is the size of the input: over all steps of a submission, whatever the check. Zeros show nothing, so they do not count."""
    right, wrong = ([step.size for step in steps if step.size and step.right is right] for right in (True, False))
    if not right or not wrong:
        return ""
    if min(wrong) >= FAR * max(right):
        return _(
            "Wrong only for large inputs: right up to |x| = {right:.3g}, wrong from {wrong:.3g} on.", right=max(right), wrong=min(wrong)
        )
    if max(wrong) * FAR <= min(right):
        return _(
            "Wrong only for small inputs: right from |x| = {right:.3g} on, wrong up to {wrong:.3g}.", right=min(right), wrong=max(wrong)
        )
    return ""
