"""The pattern of a difference at one place: one factor, one offset, one of either per channel, permuted slices, NaN, and the like."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from normgrade.language import _
from normgrade.language.places import Place
from normgrade.remarks.context import Setting
from normgrade.remarks.factors import named

ENOUGH = 3  # numbers that a factor or an offset has to explain to be mentioned
MOST_SLICES = 64  # of which a permutation is looked for
MOST_AXES = 5  # whose orders are tried
MOST_SHOWN = 8  # of the numbers in a permutation
ROUNDING = 64 * 2.0**-24


def looks_like(
    expected: np.ndarray,
    actual: np.ndarray,
    allowed: np.ndarray,
    setting: Setting = Setting(),  # noqa: B008
    place: Place | None = None,
) -> str | None:
    """Return a few words on the pattern of a difference, or None if it has none. The arrays have the same shape."""
    if expected.dtype.kind != "f":
        return None
    right, got = expected.astype(np.float64), actual.astype(np.float64)
    if not np.isfinite(got).all():
        if not np.isfinite(right[~np.isfinite(got)]).any():
            return None  # only what is due
        return not_finite(got, None if place is None or place.step is None else setting.inputs.get(place.step))
    if right.size > 1 and not got.any():
        return _("every value is 0")
    with np.errstate(all="ignore"):
        if right.size < ENOUGH or fits(right, got, allowed):
            return None  # two numbers fit any pattern, and numbers that are barely off fit none
        is_output = place is not None and place.step is not None and place.template == "output"
        return (
            one_for_all(right, got, allowed, setting)
            or (is_output and without_affine(right, got, allowed, setting))
            or (same_numbers(right, got, allowed) and (swapped(right, got, allowed) or permuted(right, got, allowed)))
            or one_each(right, got, allowed)
            or None
        )


def same_but_for_form(right: np.ndarray, got: np.ndarray, allowed: np.ndarray, same_dtype: bool) -> str | None:
    """Return words on right numbers in another shape or dtype, or with their axes in another order; None if more is wrong."""
    if right.dtype.kind != "f" or got.dtype.kind not in "fiu" or right.size != got.size:
        return None
    values = got.astype(np.float64)
    if right.shape == got.shape:
        return _("right numbers, only the dtype differs") if fits(right, values, allowed) else None
    words = _("right numbers, only the shape differs") if same_dtype else _("right numbers, but shape and dtype differ")
    for axes in permutations(range(got.ndim)) if got.ndim <= MOST_AXES else ():
        moved = values.transpose(axes)
        if moved.shape == right.shape and fits(right, moved, allowed):
            return _("{words}: the axes are in the order {order}", words=words, order=", ".join(map(str, np.argsort(axes))))
    return words if fits(right.ravel(), values.ravel(), allowed.ravel()) else None


def not_a_number(got: np.ndarray) -> str:
    """Return "NaN" or "Inf" for the first number that is not finite; empty if all are finite."""
    bad = got[~np.isfinite(got)]
    return "" if not bad.size else "NaN" if np.isnan(bad[0]) else "Inf"


def not_finite(got: np.ndarray, x: np.ndarray | None) -> str:
    """Return words on the values that are not finite: their number, the first, and the slices of the input that they belong to, if any."""
    bad = ~np.isfinite(got)
    noun, first = not_a_number(got), np.argwhere(bad)[0].tolist()
    alike = np.isnan(got) if noun == "NaN" else np.isinf(got)
    words = _("{noun} in {alike} of {total} values, first at {first}", noun=noun, alike=alike.sum(), total=got.size, first=first)
    if x is None or x.shape != got.shape or x.size < 2:
        return words
    for shape, kept, noun in partitions(x.shape):
        seen = x.reshape(shape)
        ends = (end(seen, axis=across(seen, kept), keepdims=True) for end in (np.min, np.max))
        constant = np.broadcast_to(np.equal(*ends), shape)
        if constant.any() and (constant == bad.reshape(shape)).all():
            if seen[constant].any():
                return _("{words}: wherever a {slice} of x is constant", words=words, slice=noun)
            return _("{words}: wherever a {slice} of x is 0", words=words, slice=noun)
    return words


def one_for_all(right: np.ndarray, got: np.ndarray, allowed: np.ndarray, setting: Setting) -> str | None:
    """Return words on one factor, or one offset, for every value."""
    factor = float((right * got).sum() / (right * right).sum())
    if np.count_nonzero(right) >= ENOUGH and fits(right * factor, got, allowed, factor):  # any factor explains a 0
        opposite = abs(factor + 1) < 1e-6
        return _("every value has the opposite sign") if opposite else _("every value × {factor}", factor=named(factor, setting))
    offset = float((got - right).mean())
    if fits(right + offset, got, allowed):
        return _("every value {sign} {offset:.6g}", sign="+" if offset > 0 else "−", offset=abs(offset))
    return None


def without_affine(right: np.ndarray, got: np.ndarray, allowed: np.ndarray, setting: Setting) -> str | None:
    """Return words on a weight and a bias that are left out or misplaced."""
    if setting.weight is None:
        return None
    shift = np.zeros_like(setting.weight) if setting.bias is None else setting.bias
    for view in views(setting.weight.shape, right.shape):
        weight, bias = setting.weight.reshape(view), shift.reshape(view)
        for words, model, slope in misapplied((right - bias) / weight, weight, bias, setting.bias is not None):
            if fits(model, got, allowed + ROUNDING * np.abs(bias), slope):
                return words
    return None


def views(parameter: tuple[int, ...], shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the shapes in which a parameter broadcasts over numbers: over the last axes, or one value per channel."""
    if shape[len(shape) - len(parameter) :] == parameter:
        yield parameter
    if len(shape) > 2 and parameter == shape[1:2]:
        yield (-1, *[1] * (len(shape) - 2))


def misapplied(normal: np.ndarray, weight: np.ndarray, bias: np.ndarray, biased: bool) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield ways to misapply weight and bias to normalised numbers: in words, the result, and its slope with respect to the right one."""
    yield _("right only where γ = 1: weight is not applied"), normal + bias, 1 / weight
    yield _("the factor is 1 + weight"), normal * (1 + weight) + bias, 1 + 1 / weight
    if biased:
        still = np.ones_like(weight)
        yield _("right only where γ = 1 and β = 0: neither weight nor bias is applied"), normal, 1 / weight
        yield _("right only where β = 0: bias is not added"), normal * weight, still
        yield _("right only where γ = 1 or β = 0: bias is added before the multiplication by weight"), (normal + bias) * weight, still
        yield _("weight and bias are swapped"), normal * bias + weight, bias / weight


def one_each(right: np.ndarray, got: np.ndarray, allowed: np.ndarray) -> str | None:
    """Return words on one factor, or one offset, per row, per channel, or per group of channels."""
    for shape, kept, noun in partitions(right.shape):
        if words := one_per_slice(right.reshape(shape), got.reshape(shape), allowed.reshape(shape), kept, noun):
            return words
    return None


def partitions(shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], str]]:
    """Yield ways to divide numbers into slices, few slices first: a shape for them, the axes that index the slices, a slice's name."""
    dimensions = len(shape)
    if dimensions < 2:
        return
    channels = shape[1]
    groups = [((shape[0], count, channels // count, *shape[2:]), channels // count) for count in range(2, channels) if not channels % count]
    yield shape, (0,), _("row") if dimensions == 2 else _("sample")
    yield from ((regrouped, (1,), _("group of {size} channels", size=size)) for regrouped, size in groups)
    yield shape, (1,), _("channel")
    yield from ((regrouped, (0, 1), _("group of {size} channels", size=size)) for regrouped, size in groups)
    if dimensions > 3:
        yield shape, (0, 1), _("channel of each sample")
    if dimensions > 2:
        yield shape, tuple(range(dimensions - 1)), _("row")


def one_per_slice(right: np.ndarray, got: np.ndarray, allowed: np.ndarray, kept: tuple[int, ...], noun: str) -> str | None:
    others = across(right, kept)
    if np.prod([right.shape[other] for other in others], dtype=int) < ENOUGH:
        return None
    factor = (right * got).sum(others, keepdims=True) / (right * right).sum(others, keepdims=True)
    if fits(right * factor, got, allowed, factor):
        return _("one factor per {slice}: × {low:.6g} to × {high:.6g}", slice=noun, low=factor.min(), high=factor.max())
    offset = (got - right).mean(others, keepdims=True)
    if fits(right + offset, got, allowed):
        return _("one offset per {slice}: {low:+.6g} to {high:+.6g}", slice=noun, low=offset.min(), high=offset.max())
    return None


def across(array: np.ndarray, kept: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis in range(array.ndim) if axis not in kept)


def same_numbers(right: np.ndarray, got: np.ndarray, allowed: np.ndarray) -> bool:
    """Return True if the numbers may be the same ones in another order."""
    return bool((np.abs(np.sort(got, None) - np.sort(right, None)) <= 2 * allowed.max()).all())


def swapped(right: np.ndarray, got: np.ndarray, allowed: np.ndarray) -> str | None:
    for first in range(right.ndim):
        for second in range(first + 1, right.ndim):
            if right.shape[first] == right.shape[second] > 1 and fits(right.swapaxes(first, second), got, allowed):
                return _("the axes {first} and {second} are swapped", first=first, second=second)
    return None


def permuted(right: np.ndarray, got: np.ndarray, allowed: np.ndarray) -> str | None:
    """Return words on the same slices along one axis in another order."""
    for axis, size in enumerate(right.shape):
        if not ENOUGH <= size <= MOST_SLICES:
            continue
        mine, theirs, limit = (np.moveaxis(array, axis, 0).reshape(size, -1) for array in (got, right, allowed))
        matches = (np.abs(mine[:, None] - theirs[None]) <= 2 * limit[None]).all(-1)
        if (matches.sum(0) == 1).all() and (matches.sum(1) == 1).all():
            return _("{slices} in another order: {order}", slices=slices(right.ndim, axis), order=order(matches.argmax(1)))
    return None


def slices(dimensions: int, axis: int) -> str:
    """Return the name of the slices along an axis."""
    if dimensions == 1:
        return _("values")
    return _("samples") if axis == 0 else _("channels") if axis == 1 else _("slices along axis {axis}", axis=axis)


def order(found: np.ndarray) -> str:
    """Return a permutation in words: whole groups in another order, a transposed pair of sizes, or number by number."""
    size = len(found)
    for groups in range(2, size):
        if size % groups:
            continue
        width, blocks = size // groups, found.reshape(groups, -1)
        if (blocks % width == np.arange(width)).all() and (blocks // width == blocks[:, :1] // width).all():
            return _("groups of {width}, {order}", width=width, order=in_short(blocks[:, 0] // width))
        if (found == np.arange(size).reshape(groups, width).T.ravel()).all():
            return _("as if ({groups}, {width}) had become ({width}, {groups})", groups=groups, width=width)
    return in_short(found)


def in_short(numbers: np.ndarray) -> str:
    shown = " ".join(map(str, numbers[:MOST_SHOWN]))
    return shown if len(numbers) <= MOST_SHOWN else f"{shown} …"


def fits(model: np.ndarray, got: np.ndarray, allowed: np.ndarray, factor: float | np.ndarray = 1.0) -> bool:
    """Return True if the model is within twice the allowed error of the actual numbers, scaled by a `factor` of more than 1."""
    return bool((np.abs(got - model) <= 2 * allowed * np.maximum(1, np.abs(factor))).all())
