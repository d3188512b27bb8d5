"""Tests of the references of the four norms' backward passes against PyTorch's own layers and central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from references import reference_module
from torch.nn import functional

ROWS = (7,), (4, 6), (2, 3, 5), (3, 1)
CHANNELS = (5, 4), (3, 4, 2), (2, 6, 2, 3)


class Norm(NamedTuple):
    """PyTorch's norm of leaves and an eps, the axis and number of its parameters, and the arguments after them in `forward`."""

    layer: Callable[[list[torch.Tensor], float], torch.Tensor]
    axis: int
    parameters: int = 2
    others: tuple[int, ...] = ()


NORMS = {
    "rms_norm_backward": Norm(lambda given, eps: functional.rms_norm(given[0], given[0].shape[-1:], given[1], eps), -1, 1),
    "layer_norm_backward": Norm(lambda given, eps: functional.layer_norm(given[0], given[0].shape[-1:], given[1], given[2], eps), -1),
    "batch_norm_backward": Norm(
        lambda given, eps: functional.batch_norm(given[0], None, None, given[1], given[2], training=True, eps=eps), 1
    ),
    "group_norm_backward": Norm(lambda given, eps: functional.group_norm(given[0], 2, given[1], given[2], eps), 1, others=(2,)),
}
PLAYED = [(slug, shape) for slug, norm in NORMS.items() for shape in (ROWS if norm.axis == -1 else CHANNELS)]


def drawn(norm: Norm, shape: tuple[int, ...], dtype: str = "float64") -> tuple[list[np.ndarray], np.ndarray]:
    random, size = np.random.default_rng(3), shape[norm.axis]
    inputs = [random.standard_normal(shape) * 2 + 1, random.uniform(0.5, 2, size), random.standard_normal(size)][: 1 + norm.parameters]
    return [each.astype(dtype) for each in inputs], random.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("slug", "shape"), PLAYED)
def test_pytorch_gives_the_same(slug: str, shape: tuple[int, ...], dtype: str) -> None:
    norm, module = NORMS[slug], reference_module(slug)
    inputs, dy = drawn(norm, shape, dtype)
    y, cache = module.forward(*inputs, *norm.others, 0.1)
    leaves = [torch.tensor(each, requires_grad=True) for each in inputs]
    wanted = norm.layer(leaves, 0.1)
    wanted.backward(torch.tensor(dy))  # type: ignore[no-untyped-call]
    near: Any = {"rtol": 1e-9, "atol": 1e-11} if dtype == "float64" else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(y, wanted.detach().numpy(), **near)
    for gradient, leaf in zip(module.backward(dy, cache), leaves, strict=True):
        assert leaf.grad is not None and gradient.dtype == dtype
        np.testing.assert_allclose(gradient, leaf.grad.numpy(), **near)


@pytest.mark.parametrize(("slug", "shape"), PLAYED)
def test_central_differences_give_the_same(slug: str, shape: tuple[int, ...]) -> None:
    norm, module = NORMS[slug], reference_module(slug)
    inputs, dy = drawn(norm, shape)
    gradients = module.backward(dy, module.forward(*inputs, *norm.others)[1])
    h = 1e-6
    for number, gradient in enumerate(gradients):
        for index in np.ndindex(inputs[number].shape):
            losses = []
            for sign in (1, -1):
                moved = [each.copy() for each in inputs]
                moved[number][index] += sign * h
                losses.append((module.forward(*moved, *norm.others)[0] * dy).sum())
            assert (losses[0] - losses[1]) / (2 * h) == pytest.approx(gradient[index], rel=1e-5, abs=1e-6)
