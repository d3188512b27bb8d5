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
