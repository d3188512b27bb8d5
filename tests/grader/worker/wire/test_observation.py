"""Tests of requests and observations: plain immutable values."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.worker.wire.observation import HALF, Array


def test_arrays_are_equal_only_to_themselves() -> None:
    """Treat arrays of the same numbers as unequal, since a comparison needs a tolerance."""
    numbers = np.ones(3, np.float32)
    array = Array(numbers, "float32")
    assert array == array and array != Array(numbers, "float32")
    assert array.error == 0.0


def test_half_precision_has_pytorchs_names() -> None:
    torch = pytest.importorskip("torch")
    assert [getattr(torch, name).itemsize for name in HALF] == [2, 2]
