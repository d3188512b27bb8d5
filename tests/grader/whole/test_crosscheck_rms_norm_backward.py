"""The reference of `rms_norm_backward` against two independent routes: PyTorch's own RMS norm, and central differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from references import reference_module

SHAPES = [(7,), (4, 6), (2, 3, 5), (3, 1)]


def drawn(shape: tuple[int, ...], dtype: str = "float64") -> tuple[list[np.ndarray], np.ndarray]:
    random = np.random.default_rng(3)
    inputs = [random.standard_normal(shape) * 2 + 1, random.uniform(0.5, 2, shape[-1])]
    return [each.astype(dtype) for each in inputs], random.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", SHAPES)
def test_pytorch_gives_the_same(shape: tuple[int, ...], dtype: str) -> None:
    inputs, dy = drawn(shape, dtype)
    module = reference_module("rms_norm_backward")
    y, cache = module.forward(*inputs, 0.1)
    leaves = [torch.tensor(each, requires_grad=True) for each in inputs]
    wanted = torch.nn.functional.rms_norm(leaves[0], shape[-1:], leaves[1], 0.1)
    wanted.backward(torch.tensor(dy))  # type: ignore[no-untyped-call]
    near: Any = {"rtol": 1e-9, "atol": 1e-11} if dtype == "float64" else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(y, wanted.detach().numpy(), **near)
    for gradient, leaf in zip(module.backward(dy, cache), leaves, strict=True):
        assert leaf.grad is not None and gradient.dtype == dtype
        np.testing.assert_allclose(gradient, leaf.grad.numpy(), **near)


@pytest.mark.parametrize("shape", SHAPES)
def test_central_differences_give_the_same(shape: tuple[int, ...]) -> None:
    inputs, dy = drawn(shape)
    module = reference_module("rms_norm_backward")
    gradients = module.backward(dy, module.forward(*inputs)[1])
    h = 1e-6
    for number, gradient in enumerate(gradients):
        for index in np.ndindex(inputs[number].shape):
            losses = []
            for sign in (1, -1):
                moved = [each.copy() for each in inputs]
                moved[number][index] += sign * h
                losses.append((module.forward(*moved)[0] * dy).sum())
            assert (losses[0] - losses[1]) / (2 * h) == pytest.approx(gradient[index], rel=1e-5, abs=1e-6)
