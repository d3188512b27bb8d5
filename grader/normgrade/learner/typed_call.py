"""A call that a learner types to try an exercise: `LayerNorm(4, eps=0.1)`, `softmax(dim=0)`."""

from __future__ import annotations

import ast
from types import MappingProxyType
from typing import Any

import numpy as np

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.learner.literals import Made, arguments_of, expression
from normgrade.suite.story import Build, build, feed_forward, forward_backward, function, identity, linear, scaled

WHERE = "CALL"


def tensor(values: Any) -> np.ndarray:
    """Return an argument that is a tensor, such as the weight of a layer."""
    return np.asarray(values, dtype=np.float32)


MADE: Made = MappingProxyType({each.__name__: each for each in (linear, feed_forward, scaled, identity, tensor)})


def build_of(text: str, exercise: Exercise) -> Build:
    """Return the beginning of a story: the layer is built, or the function called, with the typed arguments.

    Raises a UsageError for anything else.
    """
    call = expression(text, WHERE)
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise UsageError(_("{where} must be a call such as `{example}`.", where=WHERE, example=exercise.defines[0]))
    name = known_name(call.func.id, exercise)
    args, kwargs = arguments_of(call, text, WHERE, MADE)
    functions = {each.name for each in exercise.defines if not each.is_class}
    if name not in functions:
        return build(*args, **kwargs).named(name)
    return (
        forward_backward(*args, **kwargs)
        if exercise.written_with is Library.NUMPY and name == "forward"
        else function(name, *args, **kwargs)
    )


def known_name(name: str, exercise: Exercise) -> str:
    """Return the name if it can be called: the exercise defines it, or its probes build a layer of that name."""
    known = [*dict.fromkeys((*(each.name for each in exercise.defines if each.name != "backward"), *builders_of(exercise)))]
    if name in known:
        return name
    raise UsageError(
        _(
            '{slug} has no "{name}" to call.{meant} Choose from {known}.',
            slug=exercise.slug,
            name=name,
            meant=did_you_mean(name, known),
            known=", ".join(known),
        )
    )


def builders_of(exercise: Exercise) -> list[str]:
    """Return the names of BUILDERS in the exercise's own probes. Their source is parsed, not run."""
    if exercise.probes is None:
        return []
    assigned = (node for node in ast.parse(read_text(exercise.probes)).body if isinstance(node, ast.Assign))
    found = (node.value for node in assigned if ast.unparse(node.targets[0]) == "BUILDERS" and isinstance(node.value, ast.Dict))
    return [str(key.value) for each in found for key in each.keys if isinstance(key, ast.Constant)]
