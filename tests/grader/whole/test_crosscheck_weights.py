"""Tests of the references of weight norms, DyT and DyISRU against PyTorch or formulas in plain NumPy, in float64, with gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils import parametrizations

SHAPES = [(7,), (4, 7), (2, 3, 7)]


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def gradients(output: Tensor, upstream: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
    return torch.autograd.grad(output, inputs, upstream)


def numerical(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, upstream: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Return the gradient of Σ upstream · function by central differences."""
    result = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        move = np.zeros_like(at)
        move[index] = step
        result[index] = ((function(at + move) - function(at - move)) * upstream).sum() / (2 * step)
    return result


def squashed_by_dyt(x: np.ndarray, number: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    grown, shrunk = np.exp(number * x), np.exp(-number * x)
    return np.asarray(weight * (grown - shrunk) / (grown + shrunk) + bias)


def squashed_by_dyisru(x: np.ndarray, number: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return np.asarray(weight * np.sqrt(x.shape[-1]) * x / np.sqrt(x**2 + number) + bias)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("slug", "name", "formula"), [("dyt", "alpha", squashed_by_dyt), ("dyisru", "c", squashed_by_dyisru)])
def test_squashing_layers_follow_their_formulas(shape: tuple[int, ...], slug: str, name: str, formula: Callable[..., np.ndarray]) -> None:
    layer = reference(slug)(shape[-1])
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.rand(parameter.shape) + 0.5)
    parameters = [getattr(layer, each) for each in (name, "weight", "bias")]
    x, upstream = torch.randn(shape, requires_grad=True), torch.randn(shape)
    values = [each.detach().numpy() for each in (x, *parameters)]
    output = layer(x)
    np.testing.assert_allclose(output.detach().numpy(), formula(*values), rtol=1e-12)
    for place, found in enumerate(gradients(output, upstream, x, *parameters)):

        def moved(value: np.ndarray, place: int = place) -> np.ndarray:
            return formula(*values[:place], value, *values[place + 1 :])

        np.testing.assert_allclose(found.numpy(), numerical(moved, values[place], upstream.numpy()), rtol=1e-6, atol=1e-8)


def test_dyisru_with_other_squares_as_c_is_rms_norm() -> None:
    x = torch.randn(6)
    normalised = F.rms_norm(x, (6,), eps=0.0)
    for number in range(6):
        layer = reference("dyisru")(6, c=float(x.square().sum() - x[number] ** 2))
        torch.testing.assert_close(layer(x)[number], normalised[number])


@pytest.mark.parametrize("shape", SHAPES)
def test_cosine_linear_is_cosine_similarity_with_every_row(shape: tuple[int, ...]) -> None:
    layer = reference("cosine_norm")(shape[-1], 5, eps=0.5)
    x = torch.randn(shape).requires_grad_()
    with torch.no_grad():
        layer.weight[1] *= 0.1  # below eps
        layer.weight[2] = 0.0
    expected = F.cosine_similarity(x.unsqueeze(-2), layer.weight, dim=-1, eps=0.5)
    upstream = torch.randn(expected.shape)
    output = layer(x)
    torch.testing.assert_close(output, expected)
    above = [0, 3, 4]  # below eps, PyTorch's gradient treats the clamped length as variable
    for found, wanted in zip(gradients(output, upstream, x, layer.weight), gradients(expected, upstream, x, layer.weight), strict=True):
        rows = above if wanted.shape == layer.weight.shape else ...
        torch.testing.assert_close(found[rows], wanted[rows])


def cosines(x: np.ndarray, weight: np.ndarray, eps: float = 0.5) -> np.ndarray:
    lengths = [np.maximum(np.sqrt((each**2).sum(-1, keepdims=True)), eps) for each in (x, weight)]
    return np.asarray((x / lengths[0]) @ (weight / lengths[1]).T)


def test_cosine_linear_gradient_is_right_below_eps() -> None:
    layer = reference("cosine_norm")(4, 3, eps=0.5)
    with torch.no_grad():
        layer.weight[1] *= 0.1 / layer.weight[1].norm()
    x = torch.stack([torch.randn(4), torch.full((4,), 0.02), torch.zeros(4)]).requires_grad_()
    upstream = torch.randn(3, 3)
    found = gradients(layer(x), upstream, x, layer.weight)
    values = x.detach().numpy(), layer.weight.detach().numpy()
    np.testing.assert_allclose(found[0].numpy(), numerical(lambda each: cosines(each, values[1]), values[0], upstream.numpy()), rtol=1e-6)
    np.testing.assert_allclose(found[1].numpy(), numerical(lambda each: cosines(values[0], each), values[1], upstream.numpy()), rtol=1e-6)


@pytest.mark.parametrize(
    ("shape", "dim"), [((4, 6), 0), ((4, 6), 1), ((5, 3, 2), 0), ((5, 3, 2), 2), ((3, 2, 4, 5), 0), ((3, 2, 4, 5), 1), ((6,), 0)]
)
def test_weight_norm_is_that_of_pytorch(shape: tuple[int, ...], dim: int) -> None:
    weight = torch.randn(shape)
    holder: Any = torch.nn.Module()
    holder.weight = torch.nn.Parameter(weight.clone())
    parametrizations.weight_norm(holder, "weight", dim)
    theirs = holder.parametrizations.weight
    layer = reference("weight_norm")(weight, dim)
    torch.testing.assert_close(layer.g.detach(), theirs.original0.detach())
    torch.testing.assert_close(layer.v.detach(), theirs.original1.detach())
    with torch.no_grad():
        theirs.original0.copy_(torch.randn(layer.g.shape))
        layer.g.copy_(theirs.original0)
        theirs.original1.mul_(torch.rand(layer.g.shape) + 0.5)
        layer.v.copy_(theirs.original1)
    output, expected, upstream = layer(), holder.weight, torch.randn(shape)
    torch.testing.assert_close(output, expected)
    found = gradients(output, upstream, layer.g, layer.v)
    wanted = gradients(expected, upstream, theirs.original0, theirs.original1)
    for mine, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, other)
