"""Changes that depend on shapes: other axes, other arrays, factors, and functions of a whole value."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from steps_case import NORM, search

from normgrade.diagnosis.steps.axes import Shapes, axes_in_source, factors, functions_of, offsets, other_arrays, other_axes, ratio_of
from normgrade.diagnosis.steps.rules import Variant
from normgrade.diagnosis.steps.same_values import EXACT
from normgrade.diagnosis.steps.sources import source_of

MEANS = NORM.replace("x.mean(-1, keepdim=True)", "x.mean(dims, keepdim=True)").replace("    mean", "    dims = (-1,)\n    mean")


def shapes(text: str = NORM) -> Shapes:
    found = search(text.replace("correction=0", "correction=1"), text)
    return Shapes(found.base.source, found.base.records)


def node(some: Shapes, text: str):  # type: ignore[no-untyped-def]
    place = next(number for number, spot in enumerate(some.source.spots) if some.source.text_of(spot) == text)
    return some.source.expression(place)


def told(some: Shapes, variants: Iterable[Variant]) -> dict[str, str]:
    found: dict[str, str] = {}
    for variant in variants:
        text = some.source.changed(variant.edits)
        assert text is not None
        [changed] = [new for new, old in zip(text.split("\n"), some.source.lines, strict=True) if new != old]
        found.setdefault(variant.words, changed.strip())
    return found


def test_a_reduction_may_use_other_axes() -> None:
    some = shapes()
    found = told(some, other_axes(some, node(some, "x.mean(-1, keepdim=True)"), {2, 35}))
    assert found == {
        "over (0,) instead of (2,)": "mean = x.mean(0, keepdim=True)",
        "over (1, 2) instead of (2,)": "mean = x.mean(tuple(range(1, x.ndim)), keepdim=True)",
    }


def test_named_axes_change_at_their_definition() -> None:
    some = shapes(MEANS)
    found = told(some, other_axes(some, node(some, "x.mean(dims, keepdim=True)"), {1}))
    assert found == {"over (0, 1, 2) instead of (2,)": "dims = tuple(range(x.ndim))"}


@pytest.mark.parametrize(
    ("axes", "text"),
    [
        ((3,), "-1"),
        ((0,), "0"),
        ((0, 2, 3), "(0, *range(2, x.ndim))"),
        ((1, 2, 3), "tuple(range(1, x.ndim))"),
        ((0, 1, 2), "tuple(range(x.ndim - 1))"),
        ((2, 3), "tuple(range(2, x.ndim))"),
        ((1, 2), "(1, 2)"),
    ],
)
def test_axes_are_written_for_any_number_of_dimensions(axes: tuple[int, ...], text: str) -> None:
    assert axes_in_source(axes, 4, "x") == text
    assert eval(text.replace("x.ndim", "4")) in (axes, axes[0], -1)


def test_an_array_may_replace_another_of_its_shape() -> None:
    some = shapes()
    found = told(some, other_arrays(some, node(some, "weight")))
    assert found == {}  # the bias is read later
    found = told(some, other_arrays(some, node(some, "bias")))
    assert found == {"the weight instead of the bias": "return y * weight + weight"}


def test_arrays_with_one_name_are_told_apart() -> None:
    some = shapes(NORM.replace("    mean = ", "    mu = x.amax(-1, keepdim=True)\n    mean = "))
    found = told(some, other_arrays(some, node(some, "mean")))
    assert "`mu` instead of `mean`" in found and "the mean instead of the mean" not in found


def test_a_factor_comes_from_a_count() -> None:
    some = shapes()
    mean = node(some, "x.mean(-1, keepdim=True)")
    assert [*told(some, factors(some, mean, 7 / 6, EXACT))] == ["as if divided by n − 1"]
    assert [*told(some, factors(some, mean, 7, EXACT))] == ["× n"]
    assert [*told(some, factors(some, mean, 7**-0.5, EXACT))] == ["√ ÷ n"]
    assert [*told(some, factors(some, mean, -1, EXACT))] == ["× −1"]
    assert [*told(some, factors(some, mean, 1.25, EXACT))] == ["× 1.25"]
    assert [*factors(some, mean, 1.2345, EXACT)] == []


def test_two_arrays_may_have_one_ratio() -> None:
    values = np.array([1.0, 2.0, -4.0])
    assert ratio_of(3 * values, values, EXACT) == 3
    assert ratio_of(values + 1, values, EXACT) is None and ratio_of(values, values[:2], EXACT) is None
    assert ratio_of(np.zeros(3), np.zeros(3), EXACT) is None


def test_a_value_may_be_a_function_of_another() -> None:
    some = shapes()
    var, right = node(some, "x.var(-1, keepdim=True, correction=0)"), np.array([1.0, 4.0, 9.0])
    assert [*told(some, functions_of(some.source, var, right**0.5, right, EXACT))] == ["the square root of the right value"]
    assert [*told(some, functions_of(some.source, var, 1 / right, right, EXACT))] == ["the reciprocal of the right value"]
    assert [*told(some, offsets(some.source, node(some, "var + eps"), right + 0.3, right, EXACT))] == ["+ eps", "− eps", "+ 1", "− 1"]
    assert [*offsets(some.source, var, right * 2, right, EXACT)] == []


def test_other_operations_have_no_axes() -> None:
    some = shapes()
    assert [*other_axes(some, node(some, "x - mean"), {1})] == []
    assert source_of(NORM).text == some.source.text
