"""Parts of scripts: values are written exactly."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from normgrade.learner.repro.script_parts import ARRAY, TENSOR, arguments, columns, literal
from normgrade.worker.wire.observation import Array


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_numbers_are_written_exactly(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    values = values.astype("float32" if dtype == "bfloat16" else dtype)
    wanted = torch.tensor(values.tolist()).reshape(shape).to(getattr(torch, dtype))
    held = Array(wanted.float().numpy() if dtype == "bfloat16" else wanted.numpy(), dtype)
    assert torch.equal(eval(literal(held, TENSOR), {"torch": torch}), wanted)


def test_other_values_are_written_as_python() -> None:
    assert eval(literal({"a": [1, (2,), None, True], "b": "text"}, TENSOR)) == {"a": [1, (2,), None, True], "b": "text"}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "bool"])
def test_arrays_are_written_exactly(dtype: str) -> None:
    values = np.random.default_rng(0).standard_normal((2, 3)).astype(dtype)
    read = eval(literal(Array(values, dtype), ARRAY), {"np": np})
    assert np.array_equal(read, values) and read.dtype == values.dtype


def test_arguments_are_written_as_in_a_call() -> None:
    assert arguments([1, "a"], {"eps": 0.1}, TENSOR) == "1, 'a', eps=0.1"


def test_headings_have_equal_widths() -> None:
    assert columns("got", "expected") == ["got     ", "expected"]
