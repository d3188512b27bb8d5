"""Mistakes that raise nothing, but are told like an exception: no `return`, a tuple instead of a tensor, a changed input."""

from __future__ import annotations

import ast

from normgrade.compare.played import Played
from normgrade.inspection.program import Definition, Program
from normgrade.inspection.returning import ends_without_return, only_return, overwritten
from normgrade.language import _
from normgrade.remarks.spots import SPOTLESS, spot_at
from normgrade.report.report import ArrayDifference, Raised, ValueDifference
from normgrade.worker.wire.observation import Array, Foreign, Reason
from normgrade.worker.wire.requests import FORWARD_BACKWARD, FUNCTION, FunctionCall, LayerStory

RESULTS = ("output", "result")  # the places of the return value of a call
GRADIENTS = "what holds the gradients"
LEFT_ALONE = {"input left alone", "input {number} left alone", "argument {number} left alone"}


def misuse(play: Played, program: Program) -> Raised | None:
    """Return the mistake that the values of a play show; None if they show none."""
    called, backward = called_in(play, program), program.called("backward")
    found = None if called is None else returned(play, program, called) or changed(play, program, called)
    return found or (None if backward is None else held(play, program, backward))


def called_in(play: Played, program: Program) -> Definition | None:
    """Return the function of the submission that the play calls; None if the source does not tell."""
    match play.expectation.request:
        case LayerStory(layer=layer, args=[str(name), *_]) if layer in (FUNCTION, FORWARD_BACKWARD):
            found = program.called(name)
        case LayerStory(layer=layer):
            found = program.called(f"{layer}.forward")
        case FunctionCall(function=name):
            found = program.called(name)
        case _:
            return None
    return None if found is None or found.node.decorator_list else found


def returned(play: Played, program: Program, called: Definition) -> Raised | None:
    """Tell that a call returned None, or a collection, instead of a tensor."""
    name = called.node.name
    for place, expected in play.expectation.places.items():
        if place.template not in RESULTS or not isinstance(expected.value, Array) or place not in play.observation.values:
            continue
        match play.observation.values[place]:
            case None if (last := ends_without_return(called)) is not None:
                said = _("`{name}` ends without `return`", name=name)
                return at(last, program, said, _("Add `return` and the result at the end."))
            case None:
                said = _("`{name}` returned None", name=name)
                return at(called.node, program, said, _("One path through it ends without returning a value."))
            case Foreign(Reason.TYPE, kind):
                said = _("`{name}` returned a value of type `{kind}`", name=name, kind=kind)
                return at(only_return(called) or called.node, program, said, _("Return only the output itself."))
    return None


def held(play: Played, program: Program, backward: Definition) -> Raised | None:
    """Tell that a backward pass by hand does not return its gradients in a tuple."""
    for difference in play.differences:
        if difference.place.template != GRADIENTS or not isinstance(difference, ValueDifference):
            continue
        if (last := ends_without_return(backward)) is not None:
            said = _("`{name}` ends without `return`", name=backward.node.name)
            return at(last, program, said, _("Add `return` and the result at the end."))
        said = _("`{name}` returned a value of type `{kind}`", name=backward.node.name, kind=str(difference.actual))
        return at(only_return(backward) or backward.node, program, said, _("Return the gradients in a tuple, as in `return (dx,)`."))
    return None


def changed(play: Played, program: Program, called: Definition) -> Raised | None:
    """Tell that an input holds other numbers after the call."""
    for difference in play.differences:
        place = difference.place
        if place.template in LEFT_ALONE and isinstance(difference, ArrayDifference):
            node = overwritten(called, int(place.names.get("number", 1)))
            advice = _("Compute a new tensor, as in `y = x - mean`: the caller still needs the input.")
            return at(node, program, _("Your code changes its input in place"), advice)
    return None


def at(node: ast.AST | None, program: Program, said: str, advice: str) -> Raised:
    spot = SPOTLESS if node is None else spot_at(node, program)
    return Raised(said, spot.line, spot.column, spot.width, spot.text, spot.function, advice)
