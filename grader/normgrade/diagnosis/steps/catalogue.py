"""Names of quantities in words: the names in the reference, or else the operations that make them."""

from __future__ import annotations

import ast

from normgrade.diagnosis.steps.sources import Source
from normgrade.language import N_, _

BY_NAME = {
    "mean": N_("the mean"), "mu": N_("the mean"), "means": N_("the mean"), "along_ones": N_("the mean of the gradient"),
    "var": N_("the variance"), "variance": N_("the variance"), "variances": N_("the variance"),
    "std": N_("the standard deviation"), "deviation": N_("the standard deviation"), "sigma": N_("the standard deviation"),
    "dev": N_("the deviation"), "rms": N_("the root mean square"), "mean_square": N_("the mean square"),
    "centred": N_("the centred input"), "normed": N_("the normalised input"), "normalised": N_("the normalised input"),
    "y": N_("the output"), "out": N_("the output"), "dnormed": N_("the gradient of the normalised input"),
    "along_normed": N_("the part along the normalised input"), "dx": N_("the gradient of x"),
    "dweight": N_("the gradient of weight"), "dbias": N_("the gradient of bias"), "weight": N_("the weight"), "bias": N_("the bias"),
    "running_mean": N_("the running mean"), "running_var": N_("the running variance"), "running_dev": N_("the running deviation"),
    "norm": N_("the norm"), "scale": N_("the scale"), "momentum": N_("the momentum"),
}  # fmt: skip
BY_CALL = {
    "mean": N_("the mean"), "nanmean": N_("the mean"), "var": N_("the variance"), "std": N_("the standard deviation"),
    "sum": N_("the sum"), "amax": N_("the largest value"), "max": N_("the largest value"), "norm": N_("the norm"),
    "sqrt": N_("the root"), "rsqrt": N_("the reciprocal root"), "square": N_("the square"), "pow": N_("the power"),
    "abs": N_("the absolute value"), "exp": N_("the exponential"), "softmax": N_("the softmax"), "tanh": N_("the tanh"),
}  # fmt: skip
BY_OPERATION: dict[type[ast.operator], str] = {
    ast.Add: N_("the sum"), ast.Sub: N_("the difference"), ast.Mult: N_("the product"), ast.Div: N_("the quotient"),
    ast.Pow: N_("the power"), ast.MatMult: N_("the matrix product"),
}  # fmt: skip


def quantity_in_words(source: Source, place: int) -> str:
    """Return the name of the value at a place, in words."""
    name = source.name_of(place)
    node = source.expression(place)
    return name_in_words(name) if name else expression_in_words(node)


def name_in_words(name: str) -> str:
    """Return the word for a variable; if it has none, its name."""
    return _(BY_NAME[name]) if name in BY_NAME else name


def expression_in_words(node: ast.expr | None) -> str:
    """Return a word for the value of an expression, without its details."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in BY_CALL:
            return _(BY_CALL[name])
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "np" | "numpy" | "math" | "F" | "self"), attr=name)):
            return _("the result of {name}", name=name)
        case ast.Call(func=ast.Attribute(value=ast.expr() as value)):
            return expression_in_words(value)
        case ast.BinOp(op=operator) if type(operator) in BY_OPERATION:
            return _(BY_OPERATION[type(operator)])
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name_in_words(name)
        case _:
            return _("a value")


def term_in_words(node: ast.expr) -> str:
    """Return a term that is left out, in words."""
    match node:
        case ast.Call(func=ast.Attribute(attr="view" | "reshape" | "to" | "unsqueeze" | "flatten" | "astype", value=value)):
            return term_in_words(value)
        case ast.Constant(value=value):
            return str(value)
        case _:
            return expression_in_words(node)
