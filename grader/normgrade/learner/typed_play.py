"""A call and inputs that a learner types, as in `LayerNorm(4, eps=0.1)` and `[[1, 2, 3, 6]]`. They are parsed, never executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

import numpy as np

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.tensor_library import Library
from normgrade.grading.trial import input_of
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.suite.story import Build, build, feed_forward, forward_backward, function, identity, linear, scaled
from normgrade.worker.wire.observation import Array

CALL, INPUT = "CALL", "INPUT"  # the names of the arguments of `try`
NUMBERS = {"nan": nan, "inf": inf}


def tensor(values: Any) -> np.ndarray:
    """Return an argument that is a tensor, such as the weight of a layer."""
    return np.asarray(values, dtype=np.float32)


FUNCTIONS: Sequence[Callable[..., Any]] = (linear, feed_forward, scaled, identity, tensor)
MADE = {each.__name__: each for each in FUNCTIONS}


# Literals


def expression(text: str, where: str) -> ast.expr:
    """Return the one expression in a text. Raises a UsageError if there is none; `where` names the text in its message."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else error
        raise UsageError(_("{where} cannot be read: {error}.", where=where, error=why)) from error


def value_of(node: ast.expr, where: str) -> Any:
    """Return the value of a literal.

    It is a number, a text, True, False, None, nan, inf, a list or tuple of these, or a call of a function in MADE. Raises a UsageError for
    anything else.
    """
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            return value
        case ast.Name(id=name) if name in NUMBERS:
            return NUMBERS[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand) if isinstance(value := value_of(operand, where), int | float):
            return -value
        case ast.List(elts=items):
            return [value_of(item, where) for item in items]
        case ast.Tuple(elts=items):
            return tuple(value_of(item, where) for item in items)
        case ast.Call(func=ast.Name(id=name)) if name in MADE:
            args, kwargs = arguments_of(node, where)
            part = ast.unparse(node)
            try:
                return MADE[name](*args, **kwargs)
            except (TypeError, ValueError) as error:
                raise UsageError(_("{part} in {where} cannot be created: {error}.", part=part, where=where, error=error)) from error
    raise UsageError(
        _(
            "{part} in {where} is not a literal. Write a number, a string, True, False, None or a list.",
            part=ast.unparse(node),
            where=where,
        )
    )


def arguments_of(call: ast.Call, where: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call, by position and by name."""
    if any(keyword.arg is None for keyword in call.keywords):
        raise UsageError(_("** in {where} is not a literal. Write each argument with its name.", where=where))
    return [value_of(each, where) for each in call.args], {str(each.arg): value_of(each.value, where) for each in call.keywords}


# Inputs


def inputs_of(texts: Sequence[str], dtype: str | None) -> tuple[Array, ...]:
    """Return the inputs in this dtype, by default float32. Raises a UsageError if a text is no nested list of numbers."""
    return tuple(input_of(numbers_of(text), dtype or "float32") for text in texts)


def numbers_of(text: str) -> np.ndarray:
    try:
        values = np.asarray(value_of(expression(text, INPUT), INPUT))
    except ValueError:  # a ragged list
        values = np.asarray(None)
    if values.dtype.kind not in "biuf":
        raise UsageError(_("{where} must be a nested list of numbers. Lists beside each other have the same length.", where=INPUT))
    return values.astype(np.float64)


# Calls


def build_of(text: str, exercise: Exercise) -> Build:
    """Return the beginning of a story: the layer is built, or the function called, with the typed arguments.

    Raises a UsageError for anything else.
    """
    call = expression(text, CALL)
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise UsageError(_("{where} must be a call such as `{example}`.", where=CALL, example=exercise.defines[0]))
    name = known_name(call.func.id, exercise)
    args, kwargs = arguments_of(call, CALL)
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
