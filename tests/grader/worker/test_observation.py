"""Requests and observations: plain values that nothing changes once they are made."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from normgrade.worker.observation import HALF, Array, Cause, Error, Observation, Request


def test_causes_are_told_by_words_that_differ() -> None:
    assert [str(cause) for cause in Cause] == ["raised", "not loaded", "exited", "crashed", "memory limit", "timed out", "forged"]


def test_an_array_is_compared_by_nobody_by_accident() -> None:
    """Arrays of the same numbers are not equal to each other: a comparison needs a tolerance."""
    numbers = np.ones(3, np.float32)
    array = Array(numbers, "float32")
    assert array == array and array != Array(numbers, "float32")
    assert array.error == 0.0


def test_an_empty_observation_has_no_error_and_printed_nothing() -> None:
    assert (Observation().values, Observation().error, Observation().stdout) == ({}, None, "")
    error = Error(Cause.RAISED, "no")
    assert (error.types, error.frames, error.step) == ((), (), None)


@pytest.mark.parametrize("made", [Array(np.ones(1), "float64"), Request("layer_story", {}), Observation()])
def test_what_crosses_is_not_changed(made: object) -> None:
    for name in type(made).__dataclass_fields__:  # type: ignore[attr-defined]
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, None)


def test_half_precision_is_named_as_pytorch_names_it() -> None:
    torch = pytest.importorskip("torch")
    assert [getattr(torch, name).itemsize for name in HALF] == [2, 2]
