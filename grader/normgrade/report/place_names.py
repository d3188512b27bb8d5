"""The places of an observation, "step 2 · running_var": data in reports, and said in the language of whoever reads them."""

from __future__ import annotations

from normgrade.language import N_, retold

PLACES = (  # part by part: those of the generic probes, and those of the exercises that come along
    N_("build"), N_("step {number}"), N_("output"), N_("input left alone"), N_("argument {number} left alone"), N_("gradient of input"),
    N_("gradient of argument {number}"), N_("result"), N_("result.{name}"), N_("result[{index}]"), N_("key of {name}"),
    N_("{name} is a parameter"),
    N_("learnable numbers"), N_("result has {name}"), N_("the sublayer is in training mode"), N_("gradient of the sublayer's {name}"),
    N_("calls of the sublayer"), N_("what the sublayer receives"), N_("parameters() gives the sublayer's"),
    N_("learnt numbers beside the sublayer's"), N_("overlap of its rows"), N_("distance from normal and uniform"),
    N_("{name} is the same parameter"), N_("numbers"),
    N_("{name} learns"), N_("length of the gradient"), N_("length of {one} × length of {other}"), N_("length of {name}"),
    N_("dimensions of {name}"), N_("numbers in {name}"), N_("gradient of the original weight"), N_("original weight left alone"),
    N_("distance of the weights in training and in evaluation"),
    N_("distance of the gradients in training and in evaluation"), N_("distance of the gradients one by one and both together"),
    N_("{name} left alone"), N_("gradient of {name}"),
)  # fmt: skip


def place_in_words(place: str) -> str:
    """The name of a place; what none of our probes calls so stays as it is."""
    return " · ".join(retold(part, PLACES) for part in place.split(" · "))
