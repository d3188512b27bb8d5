"""Tests of the reference of `global_response_norm`: loops over samples and channels in NumPy, the authors' lines, finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor

SHAPES = [(2, 3, 4), (2, 4, 3, 5), (3, 2, 1, 3, 2), (1, 1, 6), (2, 5, 1)]


def drawn(shape: tuple[int, ...], eps: float = 1e-6) -> tuple[Any, Tensor]:
    """Return a layer in float64 with random parameters, and an input whose channels differ in scale."""
    random = torch.Generator().manual_seed(0)
    layer = reference("global_response_norm")(shape[-1], eps).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(generator=random)
    x = torch.randn(shape, generator=random, dtype=torch.float64)
    return layer, x * torch.linspace(0.3, 3, shape[-1], dtype=torch.float64)


@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.7])
@pytest.mark.parametrize("shape", SHAPES)
def test_layer_is_a_loop_over_samples(shape: tuple[int, ...], eps: float) -> None:
    layer, x = drawn(shape, eps)
    weight, bias = (parameter.detach().numpy() for parameter in (layer.weight, layer.bias))
    y = np.empty(shape)
    for n, sample in enumerate(x.numpy()):
        lengths = [sum(number * number for number in sample[..., c].flat) ** 0.5 for c in range(shape[-1])]
        for c, length in enumerate(lengths):
            share = length / (sum(lengths) / len(lengths) + eps)
            y[n, ..., c] = sample[..., c] * (1 + weight[c] * share) + bias[c]
    np.testing.assert_allclose(layer(x).detach().numpy(), y, rtol=1e-12, atol=1e-13)


def test_images_are_the_lines_of_the_authors() -> None:
    layer, x = drawn((2, 4, 3, 5))
    gx = torch.norm(x, p=2, dim=(1, 2), keepdim=True)
    nx = gx / (gx.mean(dim=-1, keepdim=True) + 1e-6)
    gamma, beta = layer.weight.view(1, 1, 1, -1), layer.bias.view(1, 1, 1, -1)
    torch.testing.assert_close(layer(x), gamma * (x * nx) + beta + x, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_finite_differences(shape: tuple[int, ...]) -> None:
    layer, x = drawn(shape, 0.1)
    assert torch.autograd.gradcheck(lambda x, *_parameters: layer(x), (x.requires_grad_(), *layer.parameters()))


def test_gradient_of_zeros_is_the_one_that_came() -> None:
    layer, x = drawn((2, 4, 3))
    x[0, :, 1] = x[1] = 0
    upstream = torch.randn(2, 4, 3, dtype=torch.float64)
    layer(x.requires_grad_()).backward(upstream)
    assert x.grad is not None
    assert torch.equal(x.grad[0, :, 1], upstream[0, :, 1])
    assert torch.equal(x.grad[1], upstream[1])


def test_gradients_are_those_of_the_prompt() -> None:
    layer, x = drawn((2, 4, 3), 0.1)
    dy = torch.randn(2, 4, 3, dtype=torch.float64)
    layer(x.requires_grad_()).backward(dy)
    given, weight, upstream = x.detach().numpy(), layer.weight.detach().numpy(), dy.numpy()
    length = np.sqrt((given**2).sum(1, keepdims=True))
    m = length.mean(2, keepdims=True) + 0.1
    a = (weight * upstream * given).sum(1, keepdims=True)
    of_length = (a - (a * length / m).mean(2, keepdims=True)) / m
    dx = upstream + weight * upstream * length / m + of_length * given / length
    np.testing.assert_allclose(np.asarray(x.grad), dx, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(np.asarray(layer.weight.grad), (upstream * given * length / m).sum((0, 1)), rtol=1e-12)


def test_shares_do_not_depend_on_masked_positions() -> None:
    layer, x = drawn((2, 6, 3))
    shown = x[:, :4]
    masked = torch.cat([shown, torch.zeros(2, 9, 3, dtype=torch.float64)], dim=1)
    torch.testing.assert_close(layer(masked)[:, :4], layer(shown), rtol=1e-13, atol=1e-13)
