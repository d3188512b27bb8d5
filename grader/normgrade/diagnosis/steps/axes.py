"""Changes that depend on the shapes of a play: other axes, other arrays, and factors that come from counts."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from normgrade.course.mistakes import Edit
from normgrade.diagnosis.steps.catalogue import name_in_words
from normgrade.diagnosis.steps.rules import Variant, divided_by, function_name, one
from normgrade.diagnosis.steps.same_values import same
from normgrade.diagnosis.steps.sources import Source, last_name
from normgrade.language import _
from normgrade.worker.untrusted.rewriting import SpotKind
from normgrade.worker.wire.observation import Record

REDUCTIONS = ("mean", "sum", "var", "std", "amax", "amin", "max", "norm", "nanmean")
LIBRARIES = ("torch", "np", "numpy")
AXES = ("dim", "axis", "dims")
DIGITS = 3  # of a factor that may have been written as a literal
LARGEST = 1e9  # factor, or divisor
Axes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Shapes:
    """The shapes of the nodes of a source in a play."""

    source: Source
    records: Sequence[Record]

    @cached_property
    def by_range(self) -> dict[tuple[int, int], tuple[int, ...]]:
        return {self.source.range_of(self.source.spots[each.place]): each.values.shape for each in self.records}

    def of(self, node: ast.expr) -> tuple[int, ...] | None:
        return self.by_range.get(self.source.range_of(node))


def other_axes(shapes: Shapes, node: ast.expr, sizes: Collection[int]) -> Iterator[Variant]:
    """Yield variants of a reduction over other axes, if the result has as many numbers as one of the learner's values."""
    source, parts = shapes.source, reduction(node)
    if parts is None:
        return
    receiver, axis = parts
    shape, result = shapes.of(receiver), shapes.of(node)
    if shape is None or result is None:
        return
    every = [some for count in range(1, len(shape) + 1) for some in combinations(range(len(shape)), count)]
    right = next((some for some in every if reduced(shape, some) in (result, squeezed(result, shape, some))), None)
    for some in every:
        if some == right or prod(size for index, size in enumerate(shape) if index not in some) not in sizes:
            continue
        words = _("over {axes} instead of {right}", axes=some, right=right)
        for place in defined_at(source, axis):
            yield one(source, place, axes_in_source(some, len(shape), whole_text(source, receiver)), words)


def reduction(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Return the array that a call reduces, and the axes; None if the call is no reduction over given axes."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in REDUCTIONS:
        return None
    args = node.args if isinstance(node.func.value, ast.Name) and node.func.value.id in LIBRARIES else [node.func.value, *node.args]
    axis = next((keyword.value for keyword in node.keywords if keyword.arg in AXES), args[1] if len(args) > 1 else None)
    return None if axis is None or not args else (args[0], axis)


def reduced(shape: Axes, axes: Axes) -> Axes:
    return tuple(1 if index in axes else size for index, size in enumerate(shape))


def squeezed(result: Axes, shape: Axes, axes: Axes) -> Axes:
    """Return the reduced shape, if it equals this result without the reduced axes; else ()."""
    kept = tuple(size for index, size in enumerate(shape) if index not in axes)
    return reduced(shape, axes) if kept == result else ()


def defined_at(source: Source, axis: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions that give the axes: the definition of their name, and the argument of the call."""
    if isinstance(axis, ast.Name) and (definition := source.definition(axis)) is not None:
        yield definition
    yield axis


def axes_in_source(axes: Axes, dimensions: int, receiver: str) -> str:
    """Return axes as code; for a usual choice, as code for any number of dimensions."""
    last, whole = dimensions - 1, tuple(range(dimensions))
    if len(axes) == 1:
        return "-1" if axes == (last,) else str(axes[0])
    usual = {
        whole: f"tuple(range({receiver}.ndim))",
        whole[1:]: f"tuple(range(1, {receiver}.ndim))",
        whole[:-1]: f"tuple(range({receiver}.ndim - 1))",
        (0, *whole[2:]): f"(0, *range(2, {receiver}.ndim))",
        whole[2:]: f"tuple(range(2, {receiver}.ndim))",
    }
    return usual.get(axes, str(axes))


def whole_text(source: Source, node: ast.expr) -> str:
    """Return the text of an expression, in parentheses if an attribute needs them."""
    text = source.text_of(node)
    return f"({text})" if isinstance(node, ast.BinOp | ast.UnaryOp | ast.IfExp) else text


def other_arrays(shapes: Shapes, node: ast.expr) -> Iterator[Variant]:
    """Yield variants with another array of the same shape in place of a named one."""
    source = shapes.source
    if not isinstance(node, ast.Name | ast.Attribute) or (shape := shapes.of(node)) is None:
        return
    own, start = source.text_of(node), source.range_of(node)[0]
    for text in dict.fromkeys(names_before(shapes, node, start, shape)):
        if text != own:
            other, name = name_in_words(text.split(".")[-1]), name_in_words(last_name(node))
            if other == name:  # such as "the weight", for a parameter and for what is made of it
                other, name = f"`{text}`", f"`{own}`"
            yield one(source, node, text, _("{other} instead of {name}", other=other, name=name))


def names_before(shapes: Shapes, node: ast.expr, start: int, shape: Axes) -> Iterator[str]:
    """Yield the names of arrays of a shape in the node's function, before a character of the source."""
    source, function = shapes.source, shapes.source.function(node)
    for record in shapes.records:
        spot = source.spots[record.place]
        if record.values.shape != shape or source.range_of(spot)[0] >= start:
            continue
        found = source.expression(record.place)
        if found is not None and source.function(found) is function:
            if spot.kind in (SpotKind.NAME, SpotKind.ATTRIBUTE):
                yield source.text_of(spot)
            elif name := source.name_of(record.place):
                yield name


def factors(shapes: Shapes, node: ast.expr, ratio: float, tolerance: float) -> Iterator[Variant]:
    """Yield a variant with a factor that comes from the number of reduced values, or with a factor of few digits."""
    source, parts = shapes.source, reduction(node)
    text = source.text_of(node)
    if parts is not None and (shape := shapes.of(parts[0])) is not None and (result := shapes.of(node)) is not None:
        size = "numel()" if "torch" in source.text else "size"
        whole, kept = f"{whole_text(source, parts[0])}.{size}", f"({text}).{size}"
        n, before = prod(shape) / prod(result), function_name(node) in ("mean", "var", "std", "nanmean")
        less = divided_by("n − 1") if before else _("× n / (n − 1)")
        for value, new, words in (
            (n / (n - 1) if n > 1 else 0.0, f"{whole} / ({whole} - {kept})", less),
            ((n - 1) / n, f"({whole} - {kept}) / {whole}", _("× (n − 1) / n")),
            (n, f"{whole} / {kept}", _("× n")),
            (1 / n, f"{kept} / {whole}", _("÷ n")),
        ):
            for power, shown in ((1.0, words), (0.5, f"√ {words}")):
                if near(ratio, value**power, tolerance):
                    yield one(source, node, f"({text} * ({new}) ** {power})", shown)
                    return
    short = f"{ratio:.{DIGITS}g}"
    if near(ratio, float(short), tolerance):
        yield one(source, node, f"({text} * {short})", _("× {factor}", factor=short.replace("-", "−")))


def near(one_value: float, other: float, tolerance: float) -> bool:
    return abs(one_value - other) <= 100 * tolerance * abs(other)


def ratio_of(values: np.ndarray, right: np.ndarray, tolerance: float) -> float | None:
    """Return the single factor between two arrays of the same shape; None if there is none."""
    if values.shape != right.shape or not np.abs(right).min(initial=np.inf) > 0:
        return None
    ratio = float(np.median(values / right))
    return ratio if 1 / LARGEST < abs(ratio) < LARGEST and same(values, ratio * right, tolerance) else None


def functions_of(source: Source, node: ast.expr, values: np.ndarray, right: np.ndarray, tolerance: float) -> Iterator[Variant]:
    """Yield the variant with the root, square, reciprocal or reciprocal root, if it gives the learner's value."""
    text = source.text_of(node)
    if values.shape != right.shape or not (right > 0).all():
        return
    for power, words in (
        (0.5, _("the square root of the right value")),
        (2, _("the square of the right value")),
        (-1, _("the reciprocal of the right value")),
        (-0.5, _("the reciprocal root of the right value")),
    ):
        if same(values, right**power, tolerance):
            yield one(source, node, f"(({text}) ** {power})", words)


def offsets(source: Source, node: ast.expr, values: np.ndarray, right: np.ndarray, tolerance: float) -> Iterator[Variant]:
    """Yield variants that add or subtract 1 or an eps, if the learner's value differs by a constant."""
    if values.shape != right.shape or not same(values - right, np.full(right.shape, np.median(values - right)), tolerance * 100):
        return
    text = source.text_of(node)
    small = {source.text_of(each) for each in ast.walk(source.function(node)) if isinstance(each, ast.Name | ast.Attribute)}
    for term in (*sorted(each for each in small if each.split(".")[-1].startswith("eps")), "1"):
        for sign, shown in (("+", "+"), ("-", "−")):
            start, end = source.range_of(node)
            yield Variant((Edit(start, end, f"({text} {sign} {term})"),), f"{shown} {term.split('.')[-1]}")
