"""Tests of the reference of generalised batch norm against its special cases and its formulas in plain NumPy, in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor, nn

SHAPES = [(6, 3), (4, 3, 5), (2, 3, 4, 5), (2, 3, 2, 3, 4)]
EPS, MOMENTUM = 0.1, 0.3


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def drawn(layer: Any) -> Any:
    """Fill a layer with random parameters and with buffers far from their initial values, and return it."""
    with torch.no_grad():
        for tensor in (*layer.parameters(), *layer.buffers()):
            tensor.copy_(torch.rand_like(tensor) + 0.5)
    return layer


def played(layer: nn.Module, x: Tensor, upstream: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Return the output and the gradient of the input, as (C, n)."""
    leaf = x.clone().requires_grad_()
    output = layer(leaf)
    output.backward(upstream)
    assert leaf.grad is not None
    return rows(output.detach()), rows(leaf.grad)


def rows(x: Tensor) -> np.ndarray:
    """Reshape (N, C, *) to (C, n)."""
    return np.stack([x[:, channel].reshape(-1).numpy() for channel in range(x.shape[1])])


def column(parameter: Tensor) -> np.ndarray:
    return parameter.detach().numpy()[:, None]


def close(got: np.ndarray, right: np.ndarray) -> None:
    np.testing.assert_allclose(got, right, rtol=1e-9, atol=1e-10)


def mid_range(channels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return half the sum of the largest and the smallest value, and its derivative."""
    return (channels.max(1) + channels.min(1)) / 2, (at_the(channels.max, channels) + at_the(channels.min, channels)) / 2


def half_range(channels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return half the difference of the largest and the smallest value, and its derivative."""
    return (channels.max(1) - channels.min(1)) / 2, (at_the(channels.max, channels) - at_the(channels.min, channels)) / 2


def at_the(extreme: Callable[..., np.ndarray], channels: np.ndarray) -> np.ndarray:
    """Return 1 at the largest or smallest value of each channel, and 0 elsewhere."""
    found: np.ndarray = channels == extreme(axis=1, keepdims=True)
    return found.astype(float)


def root_mean_square(channels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    length = np.sqrt((channels**2).mean(1))
    return length, channels / (channels.shape[1] * length[:, None])


def third_power_mean(channels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return S, the cube root of the mean cube, and its derivative, (x / S)² / n."""
    cube_root = np.cbrt((channels**3).mean(1))
    return cube_root, (channels / cube_root[:, None]) ** 2 / channels.shape[1]


class Differentiated(torch.autograd.Function):
    """A function in NumPy that returns its derivative, too."""

    @staticmethod
    def forward(ctx, channels, function):  # type: ignore[no-untyped-def]
        value, derivative = (torch.from_numpy(each) for each in function(channels.detach().numpy()))
        ctx.save_for_backward(derivative)
        return value

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        (derivative,) = ctx.saved_tensors
        return gradient[:, None] * derivative, None


def differentiated(function: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], channels: Tensor) -> Any:
    """Return the value of such a function, differentiable by autograd."""
    return Differentiated.apply(channels, function)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("statistic", "deviation"), [(mid_range, half_range), (third_power_mean, root_mean_square), (root_mean_square, half_range)]
)
def test_layer_and_gradient_follow_the_formula(
    shape: tuple[int, ...],
    statistic: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    deviation: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
) -> None:
    x, upstream = torch.randn(shape) * 2 + 3, torch.randn(shape)
    functions = [partial(differentiated, each) for each in (statistic, deviation)]
    layer = drawn(reference("generalized_batch_norm")(3, *functions, EPS, MOMENTUM))
    old = {name: buffer.clone() for name, buffer in layer.named_buffers()}
    output, gradient = played(layer, x, upstream)
    values, (s, of_s), (d, of_d) = rows(x), statistic(rows(x)), deviation(rows(x))
    normalised, g = (values - s[:, None]) / (d[:, None] + EPS), column(layer.weight) * rows(upstream)
    close(output, column(layer.weight) * normalised + column(layer.bias))
    sums = g.sum(1, keepdims=True), (g * normalised).sum(1, keepdims=True)
    close(gradient, (g - of_s * sums[0] - of_d * sums[1]) / (d[:, None] + EPS))
    for name, batch in (("running_statistic", s), ("running_deviation", d)):
        close(layer.get_buffer(name).numpy(), (1 - MOMENTUM) * old[name].numpy() + MOMENTUM * batch)
    layer.eval()
    evaluated = (values - column(layer.running_statistic)) / (column(layer.running_deviation) + EPS)
    close(rows(layer(x).detach()), column(layer.weight) * evaluated + column(layer.bias))


@pytest.mark.parametrize("shape", SHAPES)
def test_mean_and_standard_deviation_give_batch_norm(shape: tuple[int, ...]) -> None:
    x, upstream = torch.randn(shape) * 2 + 1, torch.randn(shape)
    ours = drawn(
        reference("generalized_batch_norm")(3, lambda channels: channels.mean(1), lambda channels: channels.std(1, correction=0), 0.0)
    )
    theirs = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}[x.dim()](3, eps=1e-30)
    theirs.load_state_dict({"weight": ours.weight, "bias": ours.bias}, strict=False)
    for got, right in zip(played(ours, x, upstream), played(theirs, x, upstream), strict=True):
        close(got, right)


@pytest.mark.parametrize("shape", SHAPES)
def test_mean_absolute_deviation_gives_l1_batch_norm(shape: tuple[int, ...]) -> None:
    def distance(channels: Tensor) -> Tensor:
        return (channels - channels.mean(1, keepdim=True)).abs().mean(1)

    x, upstream = torch.randn(shape) * 2 + 1, torch.randn(shape)
    ours = drawn(reference("generalized_batch_norm")(3, lambda channels: channels.mean(1), distance, EPS, MOMENTUM))
    theirs = drawn(reference("l1_batch_norm")(3, EPS, MOMENTUM))
    theirs.load_state_dict(dict(zip(theirs.state_dict(), ours.state_dict().values(), strict=True)))
    for _mode in range(2):
        for got, right in zip(played(ours, x, upstream), played(theirs, x, upstream), strict=True):
            close(got, right)
        ours.eval()
        theirs.eval()


def test_numbers_that_the_prompt_tells() -> None:
    for number, half, deviation in ((32, 2.07, 0.98), (1024, 3.25, 1.00)):
        x = torch.randn(2000, number)
        assert ((x.amax(1) - x.amin(1)) / 2).mean().item() == pytest.approx(half, abs=0.03)
        assert x.std(1, correction=0).mean().item() == pytest.approx(deviation, abs=0.01)


def test_statistics_of_the_prompt_are_the_closest_numbers() -> None:
    """Each deviation of the table is the smallest distance, and its statistic has that distance."""
    x, share = torch.randn(1000).exp(), 0.7
    largest = x.topk(300).values.mean()
    distances: list[tuple[Callable[[Tensor], Tensor], Tensor, Tensor]] = [
        (lambda c: (x - c).square().mean().sqrt(), x.mean(), x.std(correction=0)),
        (lambda c: (x - c).abs().mean(), x.quantile(0.5), (x - x.quantile(0.5)).abs().mean()),
        (lambda c: (x - c).abs().max(), (x.max() + x.min()) / 2, (x.max() - x.min()) / 2),
        (
            lambda c: (share * (x - c).relu() / (1 - share) + (c - x).relu()).mean(),
            x.sort().values[699:701].mean(),
            largest - x.mean(),
        ),
    ]
    for distance, statistic, deviation in distances:
        assert distance(statistic).item() == pytest.approx(deviation.item(), rel=1e-9)
        for other in torch.linspace(float(x.min()), float(x.max()), 200):
            assert distance(other) >= distance(statistic) - 1e-12
