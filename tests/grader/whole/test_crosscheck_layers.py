"""Tests of the references of four layers against PyTorch's equal layers and the formulas in plain NumPy, in float64."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from references import reference
from torch import Tensor, nn

SHAPES = [(6, 3), (4, 3, 5), (2, 3, 4, 5), (2, 3, 2, 3, 4)]


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def played(layer: nn.Module, x: Tensor, upstream: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Return the output and the gradient of the input."""
    leaf = x.clone().requires_grad_()
    output = layer(leaf)
    output.backward(upstream)
    assert leaf.grad is not None
    return output.detach().numpy(), leaf.grad.numpy()


def drawn(layer: Any) -> Any:
    """Fill a layer with random parameters and with buffers far from their initial values, and return it."""
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_()
        for name, buffer in layer.named_buffers():
            buffer.copy_(torch.randn_like(buffer) if "mean" in name else torch.rand_like(buffer) + 0.5)
    return layer


def rows(x: Tensor) -> np.ndarray:
    """Reshape (N, C, *) to (C, n)."""
    return x.transpose(0, 1).flatten(1).numpy()


def column(parameter: Tensor) -> np.ndarray:
    return parameter.detach().numpy()[:, None]


def close(got: np.ndarray, right: np.ndarray) -> None:
    np.testing.assert_allclose(got, right, rtol=1e-10, atol=1e-11)


# Partial RMS norm


@pytest.mark.parametrize("shape", [(7,), (5, 9), (2, 3, 16)])
def test_partial_rms_norm_of_all_features_is_rms_norm(shape: tuple[int, ...]) -> None:
    x, upstream, n = torch.randn(shape), torch.randn(shape), shape[-1]
    ours, theirs = drawn(reference("partial_rms_norm")(n, 1.0, 0.01)), nn.RMSNorm(n, eps=0.01)
    theirs.load_state_dict(ours.state_dict())
    for got, right in zip(played(ours, x, upstream), played(theirs, x, upstream), strict=True):
        close(got, right)


@pytest.mark.parametrize(("n", "p", "k"), [(16, 0.25, 4), (10, 0.0625, 1), (9, 0.5, 5), (7, 0.3, 3), (6, 0.0, 1)])
def test_partial_rms_norm_follows_the_paper(n: int, p: float, k: int) -> None:
    x, upstream, eps = torch.randn(5, n), torch.randn(5, n), 0.1
    layer = drawn(reference("partial_rms_norm")(n, p, eps))
    output, gradient = played(layer, x, upstream)
    r = 1 / np.sqrt((x.numpy()[:, :k] ** 2).sum(1, keepdims=True) / k + eps)
    g = layer.weight.detach().numpy() * upstream.numpy()
    close(output, layer.weight.detach().numpy() * x.numpy() * r)
    right = r * g
    right[:, :k] -= r * (x.numpy() * r)[:, :k] * (g * x.numpy() * r).sum(1, keepdims=True) / k
    close(gradient, right)


# L1 batch norm


@pytest.mark.parametrize("shape", SHAPES)
def test_l1_batch_norm_follows_the_paper(shape: tuple[int, ...]) -> None:
    x, upstream, eps, momentum = torch.randn(shape) * 2 + 1, torch.randn(shape), 0.1, 0.3
    layer = drawn(reference("l1_batch_norm")(3, eps, momentum))
    old = {name: buffer.clone() for name, buffer in layer.named_buffers()}
    output, gradient = played(layer, x, upstream)
    values, mean = rows(x), rows(x).mean(1, keepdims=True)
    dev = np.abs(values - mean).mean(1, keepdims=True)
    normalised, g = (values - mean) / (dev + eps), column(layer.weight) * rows(upstream)
    close(rows(torch.from_numpy(output)), column(layer.weight) * normalised + column(layer.bias))
    centred = (g - (g * normalised).mean(1, keepdims=True) * np.sign(values - mean)) / (dev + eps)
    close(rows(torch.from_numpy(gradient)), centred - centred.mean(1, keepdims=True))
    close(layer.running_mean.numpy(), (1 - momentum) * old["running_mean"].numpy() + momentum * mean[:, 0])
    close(layer.running_dev.numpy(), (1 - momentum) * old["running_dev"].numpy() + momentum * dev[:, 0])
    layer.eval()
    evaluated = (values - column(layer.running_mean)) / (column(layer.running_dev) + eps)
    close(rows(layer(x).detach()), column(layer.weight) * evaluated + column(layer.bias))


def test_normal_numbers_have_the_deviation_that_the_prompt_tells() -> None:
    x = torch.randn(1_000_000, 1)
    layer = reference("l1_batch_norm")(1, momentum=1.0)
    layer(x)
    assert (x.std() / layer.running_dev).item() == pytest.approx((torch.pi / 2) ** 0.5, rel=0.003)


# Batch renorm


@pytest.mark.parametrize("shape", SHAPES)
def test_batch_renorm_without_correction_is_batch_norm(shape: tuple[int, ...]) -> None:
    x, upstream = torch.randn(shape) * 2 + 1, torch.randn(shape)
    ours = drawn(reference("batch_renorm")(3, 1.0, 0.0, 0.1))
    theirs = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}[x.dim()](3, eps=0.1)
    theirs.load_state_dict({"weight": ours.weight, "bias": ours.bias}, strict=False)
    for got, right in zip(played(ours, x, upstream), played(theirs, x, upstream), strict=True):
        close(got, right)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("r_max", "d_max"), [(3.0, 5.0), (1.2, 0.3), (1000.0, 1000.0)])
def test_batch_renorm_follows_the_paper(shape: tuple[int, ...], r_max: float, d_max: float) -> None:
    x, upstream, eps, momentum = torch.randn(shape) * 2 + 1, torch.randn(shape), 0.1, 0.3
    layer = drawn(reference("batch_renorm")(3, r_max, d_max, eps, momentum))
    old_mean, old_std = column(layer.running_mean.clone()), column(layer.running_std.clone())
    before = layer.eval()(x).detach().numpy()
    output, gradient = played(layer.train(), x, upstream)
    values, mean = rows(x), rows(x).mean(1, keepdims=True)
    std = np.sqrt(((values - mean) ** 2).mean(1, keepdims=True) + eps)
    r, d = np.clip(std / old_std, 1 / r_max, r_max), np.clip((mean - old_mean) / old_std, -d_max, d_max)
    normalised, g = (values - mean) / std, column(layer.weight) * rows(upstream)
    close(rows(torch.from_numpy(output)), column(layer.weight) * (normalised * r + d) + column(layer.bias))
    right = r / std * (g - g.mean(1, keepdims=True) - normalised * (g * normalised).mean(1, keepdims=True))
    close(rows(torch.from_numpy(gradient)), right)
    close(column(layer.running_mean), old_mean + momentum * (mean - old_mean))
    close(column(layer.running_std), old_std + momentum * (std - old_std))
    if r_max == 1000.0:
        close(output, before)


# Filter response norm


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (4, 2, 1, 1), (1, 5, 3, 2)])
def test_filter_response_norm_follows_the_paper(shape: tuple[int, ...]) -> None:
    x, upstream, eps = torch.randn(shape) * 2 + 1, torch.randn(shape), 0.1
    layer = drawn(reference("filter_response_norm")(shape[1], eps))
    output, gradient = played(layer, x, upstream)
    weight, bias, threshold = (each.detach().numpy()[:, None, None] for each in (layer.weight, layer.bias, layer.threshold))
    r = 1 / np.sqrt((x.numpy() ** 2).mean((2, 3), keepdims=True) + eps)
    normalised = x.numpy() * r
    y = weight * normalised + bias
    close(output, np.maximum(y, threshold))
    kept = np.where(y > threshold, upstream.numpy(), 0.0)
    close(gradient, r * (weight * kept - normalised * (weight * kept * normalised).mean((2, 3), keepdims=True)))
    for name, right in (("weight", kept * normalised), ("bias", kept), ("threshold", upstream.numpy() - kept)):
        close(getattr(layer, name).grad.numpy(), right.sum((0, 2, 3)))


def test_filter_response_norm_of_centred_maps_is_instance_norm() -> None:
    x = torch.randn(2, 3, 4, 5)
    x -= x.mean((2, 3), keepdim=True)
    layer = reference("filter_response_norm")(3, 0.1)
    nn.init.constant_(layer.threshold, -100.0)
    close(layer(x).detach().numpy(), nn.InstanceNorm2d(3, eps=0.1)(x).numpy())
