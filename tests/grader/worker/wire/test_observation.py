"""Tests of requests and observations: plain immutable values."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from normgrade.worker.wire.observation import HALF, Array, Cause, Error, Observation, Request


def test_causes_have_distinct_words() -> None:
    assert [str(cause) for cause in Cause] == ["raised", "not loaded", "exited", "crashed", "memory limit", "timed out", "forged"]


def test_arrays_are_equal_only_to_themselves() -> None:
    """Treat arrays of the same numbers as unequal, since a comparison needs a tolerance."""
    numbers = np.ones(3, np.float32)
    array = Array(numbers, "float32")
    assert array == array and array != Array(numbers, "float32")
    assert array.error == 0.0


def test_observation_is_empty_by_default() -> None:
    assert (Observation().values, Observation().error, Observation().stdout) == ({}, None, "")
    error = Error(Cause.RAISED, "no")
    assert (error.types, error.frames, error.step) == ((), (), None)


@pytest.mark.parametrize("made", [Array(np.ones(1), "float64"), Request("layer_story", {}), Observation()])
def test_values_that_travel_are_immutable(made: object) -> None:
    for name in type(made).__dataclass_fields__:  # type: ignore[attr-defined]
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, None)


def test_half_precision_has_pytorchs_names() -> None:
    torch = pytest.importorskip("torch")
    assert [getattr(torch, name).itemsize for name in HALF] == [2, 2]
