"""Inputs that several suites of this course draw: what hides no statistic over the wrong numbers."""

import numpy as np

from normgrade.suite import randn, uniform


def rows(*shape):
    """Random numbers whose rows, along the last axis, have a mean and a scale of their own."""
    each = (*shape[:-1], 1)
    return randn(*shape) * uniform(0.3, 2.0, *each) + uniform(-1.5, 1.5, *each)


def coarse(*shape, dtype="float16"):
    """Rows of so few binary digits that half of a number, and the sum of both, is exact in that half precision.

    Where a sum is normalised, its rounding would count as much as the mean of a row is larger than its spread, which no tolerance knows.
    """
    finest = {"float16": 64, "bfloat16": 8}[dtype]
    return (rows(*shape) * finest).round() * 2 / finest


def lopsided(*shape, size=60_000):
    """Numbers of float16, one in seven positive and all others negative, so that its distance from their mean is no number of float16.

    Half of a number, and the sum of both, is exact in float16.
    """
    signs = np.where(np.arange(np.prod(shape)) % 7 == 3, 64, -64).reshape(shape)
    return ((uniform(0.9, 1.0, *shape) * size / 64).round() * signs).astype(np.float32)


def at_the_ends(size):
    """Rows of so many numbers at the ends of half precision, and many rows, by dtype; half of each, and the sum of both, is exact."""
    float16 = [coarse(6, size) * 2048, lopsided(6, size, size=43_000), coarse(300, size)]
    bfloat16 = [coarse(number, size, dtype="bfloat16") * scale for number, scale in ((6, 2.0**20), (300, 1))]
    return {"float16": float16, "bfloat16": bfloat16}


def channels(*shape):
    """Random numbers (N, C, …) with a mean and a scale of its own for each channel of each sample."""
    each = (*shape[:2], *(1 for _ in shape[2:]))
    return randn(*shape) * uniform(0.3, 2.0, *each) + uniform(-1.5, 1.5, *each)


def weights(number):
    """So many numbers to multiply by: none is 1 or near 0, and two in three are positive."""
    signs = np.where(np.arange(number) % 3 == 1, -1, 1).astype(np.float32)
    return uniform(0.4, 1.9, number) * signs


def weight_and_bias(number):
    """A weight and a bias of that many numbers."""
    return weights(number), uniform(-1.5, 1.5, number)


def powers(base, low, high, *shape):
    """The base, raised to random exponents: float32 numbers that are the same on every machine.

    They are computed in float64, since processors disagree on the last digits of a power.
    """
    return (float(base) ** uniform(low, high, *shape).astype(np.float64)).astype(np.float32)
