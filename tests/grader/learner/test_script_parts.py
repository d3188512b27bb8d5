"""Parts of scripts: values are written exactly."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
import torch

from normgrade.language.places import Place
from normgrade.learner.script_parts import ARRAY, TENSOR, UNPACK, arguments, columns, literal, needed, worst
from normgrade.report.report import ArrayDifference, Numbers
from normgrade.worker.wire.observation import Array

TOOLS: dict[str, Any] = {"torch": torch, "np": np, "base64": base64}
exec(UNPACK, TOOLS)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3), (5, 4)])
def test_numbers_are_written_exactly(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    values = values.astype("float32" if dtype == "bfloat16" else dtype)
    wanted = torch.tensor(values.tolist()).reshape(shape).to(getattr(torch, dtype))
    held = Array(wanted.float().numpy() if dtype == "bfloat16" else wanted.numpy(), dtype)
    assert torch.equal(eval(literal(held, TENSOR), TOOLS), wanted)


def test_other_values_are_written_as_python() -> None:
    assert eval(literal({"a": [1, (2,), None, True], "b": "text"}, TENSOR)) == {"a": [1, (2,), None, True], "b": "text"}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(2, 3), (5, 4)])
def test_arrays_are_written_exactly(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    read = eval(literal(Array(values, dtype), ARRAY), TOOLS)
    assert np.array_equal(read, values) and read.dtype == values.dtype


def test_arguments_are_written_as_in_a_call() -> None:
    assert arguments([1, "a"], {"eps": 0.1}, TENSOR) == "1, 'a', eps=0.1"


def test_of_a_large_array_the_worst_numbers_are_compared() -> None:
    expected, actual = np.zeros((4, 5)), np.zeros((4, 5))
    actual[1, 2], actual[3, 4], actual[0, 0] = 2.0, np.nan, 1.0
    where: dict[str, Any] = {
        "at": (1, 2),
        "expected": 0.0,
        "actual": 2.0,
        "allowed": 0.0,
        "max_abs": 2.0,
        "max_rel": 1.0,
        "mismatched": 3,
        "total": 20,
    }
    numbers = Numbers(expected, actual, np.zeros((4, 5)))
    found = ArrayDifference(place=Place("output"), dtype="float32", shape=(4, 5), numbers=numbers, **where)
    assert list(eval(worst(found)))[:3] == [(3, 4), (1, 2), (0, 0)]


def test_only_the_functions_that_are_called_are_written() -> None:
    tools = ["def a():\n    b()", "def b():\n    pass", "def c():\n    pass"]
    assert needed(tools, "a()") == "\ndef a():\n    b()\n\ndef b():\n    pass\n" and needed(tools, "x") == ""


def test_headings_have_equal_widths() -> None:
    assert columns("got", "expected") == ["got     ", "expected"]
