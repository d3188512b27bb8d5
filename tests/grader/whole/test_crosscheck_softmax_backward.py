"""Tests of the reference of `softmax_backward` against two independent routes: PyTorch's softmax, and the complex step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from references import reference_module

SHAPES = [(7,), (4, 6), (2, 3, 5), (3, 1)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", SHAPES)
def test_pytorch_gives_the_same(shape: tuple[int, ...], dtype: str) -> None:
    x, dy = (np.random.default_rng(seed).standard_normal(shape).astype(dtype) * 3 for seed in (1, 2))
    module = reference_module("softmax_backward")
    y, cache = module.forward(x)
    [dx] = module.backward(dy, cache)
    leaf = torch.tensor(x, requires_grad=True)
    wanted = torch.softmax(leaf, -1)
    wanted.backward(torch.tensor(dy))  # type: ignore[no-untyped-call]
    near: Any = {"rtol": 1e-9, "atol": 1e-12} if dtype == "float64" else {"rtol": 1e-4, "atol": 1e-6}
    np.testing.assert_allclose(y, wanted.detach().numpy(), **near)
    assert leaf.grad is not None and dx.dtype == dtype
    np.testing.assert_allclose(dx, leaf.grad.numpy(), **near)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_complex_step_gives_the_same(shape: tuple[int, ...]) -> None:
    """The imaginary part of L(x + ih) / h is the derivative to all digits, since nothing is subtracted."""
    x, dy = (np.random.default_rng(seed).standard_normal(shape) for seed in (3, 4))
    module = reference_module("softmax_backward")
    [dx] = module.backward(dy, module.forward(x)[1])
    h = 1e-20
    for index in np.ndindex(shape):
        step = np.zeros(shape, complex)
        step[index] = 1j * h
        e = np.exp(x + step)
        loss = (e / e.sum(axis=-1, keepdims=True) * dy).sum()
        assert loss.imag / h == pytest.approx(dx[index], rel=1e-12, abs=1e-15)
