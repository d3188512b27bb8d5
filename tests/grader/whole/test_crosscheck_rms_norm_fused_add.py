"""Tests of the reference of the fused residual sum and RMS norm, whose backward pass is by hand, against PyTorch's RMS norm and autograd,
against finite differences, and against the Jacobian of each row in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor

SHAPES = [(5,), (4, 7), (2, 3, 6), (2, 1, 3, 9), (3, 1)]
WANTED: list[tuple[bool, bool]] = [(True, True), (True, False), (False, True)]  # the outputs that have a gradient


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape) + seed), dtype=torch.float64)


def inputs(shape: tuple[int, ...]) -> list[Tensor]:
    x, residual, weight = drawn(*shape, seed=1), drawn(*shape, seed=2), drawn(shape[-1], seed=3)
    weight[0] = 0
    return [each.requires_grad_() for each in (x, residual, weight)]


def of_the_library(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    total = x + residual
    return torch.nn.functional.rms_norm(total, weight.shape, weight, eps), total


def gradients(function: Callable[..., Any], given: list[Tensor], wanted: tuple[bool, bool], eps: float) -> list[Tensor]:
    outputs = zip(function(*given, eps), wanted, strict=True)
    ends = [(each, drawn(*each.shape, seed=seed)) for seed, (each, is_wanted) in enumerate(outputs, 4) if is_wanted]
    found = torch.autograd.grad([end for end, _ in ends], given, [gradient for _, gradient in ends], allow_unused=True)
    return [torch.zeros_like(leaf) if each is None else each for leaf, each in zip(given, found, strict=True)]


def agree(one: Any, other: Any) -> None:
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("eps", [1e-6, 0.5])
def test_outputs_are_those_of_pytorch(shape: tuple[int, ...], eps: float) -> None:
    functions: list[Callable[..., tuple[Tensor, Tensor]]] = [reference("rms_norm_fused_add"), of_the_library]
    ours, theirs = (function(*inputs(shape), eps) for function in functions)
    for one, other in zip(ours, theirs, strict=True):
        agree(one.detach(), other.detach())


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_those_of_autograd(shape: tuple[int, ...], wanted: tuple[bool, bool]) -> None:
    for eps in (1e-6, 0.5):
        both = (gradients(function, inputs(shape), wanted, eps) for function in (reference("rms_norm_fused_add"), of_the_library))
        for one, other in zip(*both, strict=True):
            agree(one, other)


def test_gradients_are_those_of_finite_differences() -> None:
    function = reference("rms_norm_fused_add")
    assert torch.autograd.gradcheck(lambda *given: function(*given, 0.1), inputs((3, 5)))
    leaf = drawn(3, 5).requires_grad_()
    assert torch.autograd.gradcheck(lambda each: function(each, each, drawn(5), 0.1), leaf)


def test_zeros_give_the_gradient_of_the_formula() -> None:
    given = [torch.zeros(2, 4, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    weight, dy = drawn(4), drawn(2, 4)
    y, _total = reference("rms_norm_fused_add")(*given, weight, 0.01)
    for each in torch.autograd.grad(y, given, dy):
        agree(each, 10 * dy * weight)


def formula(
    x: np.ndarray, residual: np.ndarray, weight: np.ndarray, dy: np.ndarray, dtotal: np.ndarray, eps: float
) -> tuple[np.ndarray, ...]:
    """Return dx and dweight, by the Jacobian of each row, number by number."""
    total = x + residual
    dx, dweight = dtotal.copy(), np.zeros_like(weight)
    for n, row in enumerate(total):
        rms = np.sqrt((row @ row) / len(row) + eps)
        jacobian = np.eye(len(row)) / rms - np.outer(row, row) / len(row) / rms**3
        dx[n] += jacobian @ (weight * dy[n])
        dweight += dy[n] * row / rms
    return dx, dweight


def test_gradients_are_those_of_the_jacobian() -> None:
    x, residual, weight = given = inputs((4, 6))
    dy, dtotal = drawn(4, 6, seed=4), drawn(4, 6, seed=5)
    arrays = [each.detach().numpy() for each in (x, residual, weight, dy, dtotal)]
    dx, dweight = formula(arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], 0.3)
    torch.autograd.backward(list(reference("rms_norm_fused_add")(*given, 0.3)), [dy, dtotal])
    for each, right in ((x, dx), (residual, dx), (weight, dweight)):
        agree(each.grad, right)
