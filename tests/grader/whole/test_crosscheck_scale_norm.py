"""Tests of the reference of scale norm against PyTorch's unit vectors and RMS norm, and of its gradients against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor

SHAPES = [(5,), (4, 7), (2, 3, 6), (2, 1, 3, 9), (3, 1)]


def drawn(*shape: int) -> Tensor:
    """Return random numbers in float64, whose rows differ in length by a factor of up to 100."""
    random = torch.Generator().manual_seed(sum(shape))
    x = torch.randn(shape, generator=random, dtype=torch.float64)
    return x * 10 ** (2 * torch.rand((*shape[:-1], 1), generator=random, dtype=torch.float64) - 1)


def layer(dim: int, **arguments: float) -> Any:
    """Return the reference, in float64."""
    return reference("scale_norm")(dim, **arguments).double()


def agree(one: Any, other: Any) -> None:
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("eps", [1e-5, 1.0, 30.0])
def test_it_is_pytorchs_normalize_times_g(shape: tuple[int, ...], eps: float) -> None:
    x = drawn(*shape).requires_grad_()
    norm = layer(shape[-1], eps=eps)
    dy = drawn(*shape)
    with torch.no_grad():
        norm.g.fill_(-1.75)
    unit = torch.nn.functional.normalize(x, dim=-1, eps=eps)
    agree(norm(x).detach(), (-1.75 * unit).detach())
    dx, dg = torch.autograd.grad(norm(x), (x, norm.g), dy)
    agree(dx, torch.autograd.grad(-1.75 * unit, x, dy)[0])
    agree(dg, (dy * unit).sum().detach())


@pytest.mark.parametrize("shape", SHAPES)
def test_a_new_layer_is_pytorchs_rms_norm(shape: tuple[int, ...]) -> None:
    x = drawn(*shape)
    norm = layer(shape[-1], eps=0.0)
    with torch.no_grad():
        norm.g.fill_(shape[-1] ** 0.5)  # the layer was built in float32
    agree(norm(x).detach(), torch.nn.functional.rms_norm(x, shape[-1:], eps=0.0))


def test_the_first_g_is_the_root_of_dim() -> None:
    for dim in (1, 4, 512, 768):
        assert reference("scale_norm")(dim).g.item() == np.float32(dim**0.5)


def test_gradients_are_those_of_finite_differences() -> None:
    for eps in (1e-5, 3.0):
        norm, x = layer(4, eps=eps), drawn(3, 4).requires_grad_()
        assert torch.autograd.gradcheck(lambda x, g, norm=norm: torch.func.functional_call(norm, {"g": g}, (x,)), (x, norm.g))
